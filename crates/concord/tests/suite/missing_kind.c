// What the function without a body gives decides.
#include <assert.h>
int read_port(void);
int main(void) {
    int value = read_port();
    assert(value != 3);
    return 0;
}
