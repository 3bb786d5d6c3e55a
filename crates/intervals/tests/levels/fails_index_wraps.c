/* A huge unsigned index is a negative one, as compilers have it. */
#include <assert.h>
int main(void) {
    char a[8] = "abcdefg";
    char *p = a + 4;
    unsigned long back = 0;
    for (int i = 0; i < 3; i++) back -= 1;
    char c = *(char *)((unsigned long)p + back);
    assert(c != 'b');
}
