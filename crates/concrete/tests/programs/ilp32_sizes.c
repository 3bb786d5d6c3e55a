#include <stdarg.h>
#include <stdio.h>
static long long sum(int n, ...)
{
    va_list ap, again;
    va_start(ap, n);
    again = ap;
    long long s = 0;
    for (int i = 0; i < n; i++)
        s += va_arg(ap, long long) + va_arg(ap, int);
    s += va_arg(again, long long);
    va_end(ap);
    return s;
}
struct s { char c; long long l; double d; };
int main(void)
{
    void *p = &p;
    unsigned long u = (unsigned long)p;
    int *q = (int *)(u + 4 - 4);
    printf("%d %d %d %d %d %d\n", (int)sizeof(long), (int)sizeof p, (int)sizeof(struct s),
           (int)sizeof(long double), (void *)q == p, u < 0xffffffffu);
    printf("%lld\n", sum(2, 1LL << 33, 5, 2LL, 6));
    printf("%lu %zu %ld\n", 4000000000ul, sizeof(int), (long)-1);
    return 0;
}
// MODEL ilp32
// OUTPUT 4 4 20 12 1 1
// OUTPUT 17179869197
// OUTPUT 4000000000 4 -1
// EXIT 0
