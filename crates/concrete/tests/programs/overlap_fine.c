#include <string.h>
#include <stdio.h>
int main(void)
{
    char a[8] = "abcdefg";
    memmove(a + 1, a, 4);
    puts(a);
    return 0;
}
// OUTPUT aabcdfg
// GCC
