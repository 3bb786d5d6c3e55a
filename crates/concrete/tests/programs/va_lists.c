#include <stdarg.h>
#include <stdio.h>
struct pair { int a; double b; };
struct big { long v[5]; };
static void show(const char *kinds, va_list ap)
{
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': printf("%d ", va_arg(ap, int)); break;
        case 'l': printf("%lld ", va_arg(ap, long long)); break;
        case 'd': printf("%g ", va_arg(ap, double)); break;
        case 'D': printf("%Lg ", va_arg(ap, long double)); break;
        case 's': printf("%s ", va_arg(ap, char *)); break;
        case 'p': { struct pair p = va_arg(ap, struct pair); printf("%d/%g ", p.a, p.b); break; }
        case 'b': { struct big b = va_arg(ap, struct big); printf("%ld ", b.v[4]); break; }
        }
}
static void all(const char *kinds, ...)
{
    va_list ap, again;
    va_start(ap, kinds);
    va_copy(again, ap);
    show(kinds, ap);
    show(kinds, again);
    va_end(again);
    va_end(ap);
    va_start(ap, kinds);
    vprintf("%d|%s|", ap);
    va_end(ap);
    putchar('\n');
}
int main(void)
{
    struct pair p = {3, 2.5};
    struct big b = {{1, 2, 3, 4, 5}};
    all("isildDspbi", (char)7, "x", 8, 1LL << 40, 1.5f, 2.25L, "yes", p, b, 9);
    return 0;
}
// GCC
