#include <stdio.h>
static void show(unsigned __int128 x)
{
    printf("%016llx%016llx ", (unsigned long long)(x >> 64), (unsigned long long)x);
}
int main(void)
{
    unsigned __int128 u = (unsigned __int128)0xfedcba9876543210ULL * 0x123456789abcdefULL;
    __int128 s = -(__int128)u;
    show(u);
    show(s);
    show(s / 1000003);
    show(s % 1000003);
    show(u << 5);
    show(s >> 70);
    show(u >> 100);
    show(u * u);
    show(~u & (u - 1));
    putchar('\n');
    printf("%d %d %g %d\n", s < 0, u > (unsigned __int128)s, (double)s, (int)(s + (__int128)u));
    __int128 f = (__int128)1e30;
    show(f);
    show((__int128)-1.5e10L);
    putchar('\n');
    return 0;
}
// GCC
