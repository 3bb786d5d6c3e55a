#include <string.h>
int main(void)
{
    _Bool b;
    memset(&b, 3, 1);
    return b; // UNDEFINED invalid-bool
}
