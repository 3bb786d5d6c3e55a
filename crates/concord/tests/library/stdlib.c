#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int by_tens(const void *a, const void *b) { return *(const unsigned char *)a / 16 - *(const unsigned char *)b / 16; }
//= VIOLATED --checks all | `abs(x)`: the absolute value of the least `int` does not fit
int main(void)
{
    int x = __VERIFIER_nondet_int();
    return abs(x) > 5; /* here */
}
//= HOLDS --checks all
int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x > INT_MIN)
        assert(abs(x) >= 0);
    return 0;
}
//= VIOLATED --checks signed-overflow
int main(void)
{
    return labs(LONG_MIN) > 5; /* here */
}
//= VIOLATED --checks division
int main(void)
{
    return div(7, __VERIFIER_nondet_int()).quot; /* here */
}
//= HOLDS --checks division
int main(void)
{
    div_t both = div(-7, 2);
    assert(both.quot == -3 && both.rem == -1);
    return 0;
}
//= VIOLATED
int main(void)
{
    assert(strtol("z", 0, 40) == 35); /* here */
    return 0;
}
//= HOLDS
int main(void)
{
    char *end;
    assert(strtol("z", 0, 36) == 35);
    assert(strtol("0x", &end, 16) == 0 && *end == 'x');
    assert(strtol(" -0x1fg", &end, 0) == -31 && *end == 'g');
    assert(strtol("+", &end, 10) == 0 && *end == '+');
    assert(strtoul("-1", 0, 10) == ULONG_MAX);
    return 0;
}
//= HOLDS
int main(void)
{
    errno = 0;
    assert(strtol("9223372036854775808", 0, 10) == LONG_MAX && errno == ERANGE);
    errno = 0;
    assert(strtol("12", 0, 1) == 0 && errno == EINVAL);
    return 0;
}
//= UNDECIDED
int main(void)
{
    int x = atoi("99999999999");
    assert(x == 99999999999 % 4294967296);
    return 0;
}
//= UNDECIDED
int main(void)
{
    srand(1);
    int a = rand();
    srand(1);
    assert(a == rand());
    return 0;
}
//= VIOLATED
int main(void)
{
    srand(__VERIFIER_nondet_uint());
    assert(rand() % 10 < 9); /* here */
    return 0;
}
//= HOLDS
int main(void)
{
    srand(7);
    assert(rand() >= 0);
    return 0;
}
//= VIOLATED
int main(void)
{
    unsigned char a[2] = { 0x12, 0x11 };
    qsort(a, 2, 1, by_tens);
    assert(a[0] == 0x12); /* here */
    return 0;
}
//= HOLDS
int main(void)
{
    unsigned char a[3] = { 0x22, 0x12, 0x11 };
    qsort(a, 3, 1, by_tens);
    assert(a[2] == 0x22 && a[0] + a[1] == 0x23);
    return 0;
}
//= HOLDS
int main(void)
{
    int a[4] = { 3, 1, 4, 1 };
    qsort(a, 4, sizeof *a, by_value);
    assert(a[0] == 1 && a[1] == 1 && a[2] == 3 && a[3] == 4);
    return 0;
}
//= VIOLATED --checks bounds | `qsort(a, 4, sizeof *a, by_value)` needs 16 writable bytes
int main(void)
{
    int a[3] = { 3, 1, 2 };
    qsort(a, 4, sizeof *a, by_value); /* here */
    return 0;
}
//= VIOLATED
static int calls;
static int counting(const void *a, const void *b)
{
    calls++;
    return by_value(a, b);
}
int main(void)
{
    int a[2] = { 2, 1 };
    qsort(a, 2, sizeof *a, counting);
    assert(calls == 1); /* here */
    return 0;
}
//= UNDECIDED
static int always(const void *a, const void *b) { return 1; }
int main(void)
{
    char a[2] = { 1, 2 };
    qsort(a, 2, 1, always);
    assert(a[0] == 2);
    return 0;
}
//= HOLDS
int main(void)
{
    int a[3] = { 1, 2, 4 }, key = 4;
    assert(bsearch(&key, a, 3, sizeof *a, by_value) == a + 2);
    key = 3;
    assert(!bsearch(&key, a, 3, sizeof *a, by_value));
    return 0;
}
//= VIOLATED
int main(void)
{
    unsigned char a[2] = { 0x11, 0x12 }, key = 0x10;
    assert(bsearch(&key, a, 2, 1, by_tens) == a + 1); /* here */
    return 0;
}
//= VIOLATED --checks library | is no character
int main(void)
{
    return (isalpha)(1000); /* here */
}
//= VIOLATED
int main(void)
{
    assert((isalpha)('a') == 1024); /* here */
    return 0;
}
//= HOLDS --checks library
int main(void)
{
    assert((isalpha)('a') && !(isalpha)('1') && (toupper)('a') == 'A' && !(isalpha)(EOF));
    return 0;
}
//= VIOLATED --checks library | there is no bit set
int main(void)
{
    return __builtin_clz(__VERIFIER_nondet_uint()); /* here */
}
//= HOLDS --checks all
int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    if (x)
        assert(__builtin_clz(x) < 32 && __builtin_ctz(x) < 32);
    return 0;
}
//= VIOLATED --checks double-free
int main(void)
{
    char *p = malloc(3);
    free(p);
    free(p); /* here */
    return 0;
}
