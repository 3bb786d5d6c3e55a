#include <stdio.h>
#include <limits.h>
int main(int argc, char **argv)
{
    int max = INT_MAX, n = 33 * argc;
    int a = max + argc; // UNDEFINED signed-overflow
    int b = max * max;
    int c = -(-max - argc);
    int d = 1 << n;
    unsigned e = 0xf0000000u >> (n + 2);
    long long f = 1LL << (n * 2);
    volatile double big = 1e20, small = -5.5, mid = 300.7;
    volatile float single = 70000.0f;
    int g = (int)big;
    unsigned h = (unsigned)small;
    unsigned char i = (unsigned char)mid;
    long long j = (long long)big;
    unsigned long long k = (unsigned long long)big;
    unsigned long long l = (unsigned long long)small;
    short m = (short)single;
    printf("%d %d %d %d %u %lld %d %u %d %lld %llu %llu %d\n", a, b, c, d, e, f, g, h, i, j, k, l, m);
    return 0;
}
// CONTINUE
// GCC
