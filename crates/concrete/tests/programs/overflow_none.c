#include <stdio.h>
int main(void)
{
    unsigned u = 4294967295u;
    unsigned char c = 255;
    short s = 32767;
    u++;
    c++;
    s++;
    unsigned long long l = -1;
    l *= l;
    printf("%u %d %d %llu\n", u, c, s, l);
    return 0;
}
// OUTPUT 0 0 -32768 1
// GCC
