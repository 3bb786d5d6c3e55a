/* Constants and conversions: exact to the last bit. */
#include <limits.h>
#include <stdio.h>

static double doubles[] = { 0.1, -0.0, 1e-310, 1.7976931348623157e308, 5e-324, 3.0 };
static float floats[] = { 0.1f, 1e-45f, 16777217.0f };
static long double wide = 0.1L;
static long long longs[] = { LLONG_MIN, LLONG_MAX, -1 };
static unsigned long long unsigneds[] = { ULLONG_MAX, 1ull << 63 };
enum sized { SMALL = -1, LARGE = 0x7fffffff } e = LARGE;
enum __attribute__((packed)) tiny { A = 200 } tiny = A;

static int narrow(int x) { signed char c = x; unsigned short s = x; _Bool b = x; return c + s + b; }
static unsigned mixed(short s, unsigned u, long l) { return s * u + (l >> 3) + (s << 2); }

int main(void)
{
    for (int i = 0; i < 6; i++)
        printf("%a %.17g\n", doubles[i], doubles[i] / 3);
    for (int i = 0; i < 3; i++)
        printf("%a %d\n", floats[i], (int)floats[i]);
    printf("%d %d\n", wide > 0.1, (double)(wide * 10) == 1.0);
    printf("%lld %lld %llu %llu\n", longs[0], longs[1] + longs[2], unsigneds[0], unsigneds[1] / 3);
    printf("%d %d %d\n", narrow(-129), narrow(70000), narrow(0));
    printf("%u %d %d %d\n", mixed(-3, 7, -100), INT_MIN, e, tiny);
    printf("%d %d %d\n", -1 < 0u, (unsigned char)-1 >> 4, 'a' + '\377');
    double nan = __builtin_nan(""), inf = __builtin_inf();
    printf("%d %d %g %d\n", nan == nan, nan < inf, -inf, !(nan < 1));
    float big = 3e38f;
    printf("%g %d %u\n", (double)(big * 10), (int)-2.9, (unsigned)3e9);
    unsigned long long h = 14695981039346656037ull;
    for (const char *p = "concord"; *p; p++)
        h = (h ^ (unsigned char)*p) * 1099511628211ull;
    printf("%llx\n", h);
    volatile int v = 5;
    int old = v++;
    v += old + 1 > 5 ? 10 : 20;
    printf("%d\n", v);
    return 0;
}
