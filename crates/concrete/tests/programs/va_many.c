#include <stdarg.h>
static int sum(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    int s = 0;
    while (n--)
        s += va_arg(ap, int); // UNDEFINED variable-arguments
    va_end(ap);
    return s;
}
int main(void)
{
    return sum(3, 1, 2);
}
