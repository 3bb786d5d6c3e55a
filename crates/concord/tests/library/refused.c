#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
extern int __VERIFIER_nondet_int(void);
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
//= HOLDS
int main(void)
{
    FILE *f = fopen("no such file", "r");
    assert(f || fopen("no such file", "q") == 0);
    assert(fdopen(-1, "r") == 0);
    return 0;
}
//= HOLDS
int main(void)
{
    char c = 0;
    assert(close(-1) == -1 && write(-1, &c, 1) == -1 && read(-1, &c, 1) == -1 && !isatty(-1));
    return 0;
}
//= UNDECIDED
int main(void)
{
    close(1);
    assert(close(1) == -1);
    return 0;
}
//= VIOLATED
int main(void)
{
    assert(close(1) == 0); /* here */
    return 0;
}
//= UNDECIDED
int main(void)
{
    errno = 0;
    FILE *f = fopen("no such file", "r");
    if (!f)
        assert(errno != 0);
    return 0;
}
//= VIOLATED
int main(void)
{
    errno = 0;
    FILE *f = fopen("no such file", "r");
    if (!f)
        assert(errno != 13); /* here */
    return 0;
}
//= UNDECIDED
int main(void)
{
    errno = 0;
    close(-1);
    assert(errno == EBADF);
    return 0;
}
//= UNDECIDED
int main(void)
{
    errno = 0;
    double root = sqrt(-1.0);
    assert(errno == EDOM || root == 0);
    return 0;
}
//= UNDECIDED
int main(void)
{
    int least = INT_MIN;
    assert(abs(least) < 0);
    return 0;
}
//= UNDECIDED
int main(void)
{
    int least = INT_MIN, by = -1;
    assert(least % by == 0);
    return 0;
}
//= UNDECIDED
int main(void)
{
    long least = LONG_MIN;
    return ldiv(least, -1).quot == 3;
}
//= VIOLATED --checks division
int main(void)
{
    int least = INT_MIN, by = -1;
    return least / by; /* here */
}
//= HOLDS
int main(void)
{
    void *p = 0;
    assert(posix_memalign(&p, 3, 8) == EINVAL && posix_memalign(&p, 4, 8) == EINVAL && p == 0);
    return 0;
}
//= HOLDS --checks all
int main(void)
{
    void *p = 0;
    if (posix_memalign(&p, 16, 8))
        return 1;
    memset(p, 1, 8);
    assert(((char *)p)[7] == 1);
    free(p);
    return 0;
}
//= VIOLATED --checks bounds
int main(void)
{
    void *p = 0;
    if (posix_memalign(&p, 16, 8))
        return 1;
    ((char *)p)[8] = 1; /* here */
    return 0;
}
//= VIOLATED --checks uninitialised
int main(void)
{
    void *p = 0;
    if (posix_memalign(&p, 16, 8))
        return 1;
    return ((char *)p)[7] == 3; /* here */
}
//= HOLDS --checks all
int main(void)
{
    int *p = malloc(2 * sizeof *p), n = __VERIFIER_nondet_int();
    p[0] = n;
    p[1] = 9;
    p = realloc(p, 4 * sizeof *p);
    p[3] = 1;
    assert(p[0] == n && p[1] == 9);
    free(p);
    return 0;
}
//= VIOLATED
int main(void)
{
    int *p = malloc(2 * sizeof *p);
    p[0] = __VERIFIER_nondet_int();
    p = realloc(p, 4 * sizeof *p);
    assert(p[0] != 77); /* here */
    free(p);
    return 0;
}
//= VIOLATED --checks bounds
int main(void)
{
    int *p = malloc(2 * sizeof *p), at = __VERIFIER_nondet_int();
    p[1] = 1;
    p = realloc(p, sizeof *p);
    if (at == 1)
        p[at] = 3; /* here */
    free(p);
    return 0;
}
//= VIOLATED --checks uninitialised
int main(void)
{
    int *p = malloc(sizeof *p);
    p[0] = 4;
    p = realloc(p, 2 * sizeof *p);
    int read = p[1]; /* here */
    free(p);
    return read == 3;
}
//= VIOLATED --checks use-after-free
int main(void)
{
    int *p = malloc(sizeof *p), *q = p;
    p[0] = 4;
    p = realloc(p, 4000);
    if (__VERIFIER_nondet_int())
        return *q; /* here */
    free(p);
    return 0;
}
//= VIOLATED --checks leak
int main(void)
{
    int *p = realloc(0, 8);
    p = realloc(p, 16);
    p[3] = 0;
    return p[3];
}
//= VIOLATED --checks double-free
int main(void)
{
    int local = 0, *p = &local;
    p = realloc(p, 8); /* here */
    return p == 0;
}
//= HOLDS
int main(void)
{
    struct { int n; int *to; } *s = malloc(sizeof *s);
    int x = 5;
    s->n = 1;
    s->to = &x;
    s = realloc(s, 3 * sizeof *s);
    *s[0].to = 6;
    assert(x == 6 && s[0].n == 1);
    free(s);
    return 0;
}
//= UNDECIDED
int main(void)
{
    int *p = malloc(4);
    p = realloc(p, 0);
    assert(p == 0);
    return 0;
}
//= HOLDS
int main(void)
{
    assert(reallocarray(0, (size_t)-1, 4) == 0);
    int *p = reallocarray(0, 2, 4);
    p[1] = 3;
    assert(p[1] == 3);
    return 0;
}
//= HOLDS
int main(void)
{
    assert(htonl(1) == 0x01000000 && ntohs(0x1234) == 0x3412 && ntohl(htonl(77)) == 77);
    return 0;
}
//= HOLDS
int main(void)
{
    int items[3] = {1, 2, 3}, key = 2;
    size_t many = 3;
    assert(lfind(&key, items, &many, sizeof *items, by_value) == items + 1);
    key = 9;
    assert(!lfind(&key, items, &many, sizeof *items, by_value));
    return 0;
}
//= VIOLATED --checks bounds
int main(void)
{
    int items[3] = {1, 2, 3}, key = 9;
    size_t many = 3;
    lsearch(&key, items, &many, sizeof *items, by_value); /* here */
    return 0;
}
//= UNDECIDED
int main(void)
{
    strerror(2)[0] = 'x';
    return 0;
}
//= UNDECIDED
int main(void)
{
    time_t now = time(0);
    struct tm *parts = gmtime(&now);
    if (parts)
        assert(!strcmp(parts->tm_zone, "UTC"));
    return 0;
}
//= UNDECIDED
int main(void)
{
    time_t now = time(0);
    struct tm *parts = localtime(&now);
    if (parts)
        assert(parts->tm_mon >= 0 && parts->tm_mon <= 11 && parts->tm_mday >= 1);
    return 0;
}
//= VIOLATED --checks pointer
int main(void)
{
    time_t now = time(0);
    struct tm *parts = localtime(&now);
    return parts->tm_mon; /* here */
}
//= UNDECIDED --checks bounds
int main(void)
{
    struct tm parts = {0};
    char text[4];
    return strftime(text, 8, "%Y", &parts) == 0;
}
//= HOLDS
int main(void)
{
    char text[4];
    swab("abcd", text, 4);
    assert(text[0] == 'b' && text[3] == 'c');
    return 0;
}
//= HOLDS
int main(void)
{
    char *end;
    assert(strtod("1.5x", &end) == 1.5 && *end == 'x' && atof("-0.25") == -0.25 && atof("abc") == 0);
    return 0;
}
//= UNDECIDED
int main(void)
{
    setenv("NAME", "value", 1);
    return getenv("NAME")[0] == 'v';
}
//= HOLDS
struct inner { int x, y; };
struct outer { struct inner x; };
int main(void)
{
    struct inner a, c = {0, 0};
    a.x = 1;
    struct outer b;
    b = (struct outer){a};
    assert(b.x.y == a.y);
    struct inner d = a.x ? a : c;
    assert(d.y == a.y);
    return 0;
}
//= HOLDS --function f --checks pointer,unreachable
__attribute__((nonnull)) int f(int *p) { return *p; }
//= VIOLATED --function f --checks pointer
__attribute__((nonnull(2))) int f(int *p, int *q)
{
    return *p + *q; /* here */
}
