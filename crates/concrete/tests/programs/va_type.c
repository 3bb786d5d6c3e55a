#include <stdarg.h>
static long sum(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    long s = 0;
    while (n--)
        s += va_arg(ap, long); // UNDEFINED variable-arguments
    va_end(ap);
    return s;
}
int main(void)
{
    return sum(2, 1L, 2);
}
