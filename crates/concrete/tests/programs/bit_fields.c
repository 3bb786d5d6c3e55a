#include <stdio.h>
#include <stdbool.h>
#include <string.h>
struct a { int x : 3; unsigned y : 7; signed char c : 5; bool b : 1; long long l : 40; unsigned long long m : 33; };
struct __attribute__((packed)) p { unsigned char k : 3; unsigned long long w : 61; short s : 9; unsigned t : 27; char e; };
struct z { unsigned a : 5; unsigned : 0; unsigned b : 5; int : 3; unsigned c : 20; };
enum e { ONE = 1, FIVE = 5 };
struct en { enum e e : 4; unsigned char f : 8; };
static void dump(const void *p, int n)
{
    for (int i = 0; i < n; i++)
        printf("%02x", ((const unsigned char *)p)[i]);
    putchar('\n');
}
int main(void)
{
    struct a a = {0};
    a.x = 5;
    a.y = 200;
    a.c = -9;
    a.b = 4;
    a.l = -123456789012LL;
    a.m = 0x1ffffffffULL + 5;
    printf("%d %u %d %d %lld %llu\n", a.x, a.y, a.c, a.b, (long long)a.l, (unsigned long long)a.m);
    dump(&a, sizeof a);
    a.x++;
    a.y -= 100;
    a.l = (long long)a.l + 1;
    a.c <<= 1;
    printf("%d %u %d %lld\n", a.x, a.y, a.c, (long long)a.l);
    struct p p;
    memset(&p, 0, sizeof p);
    p.k = 5, p.w = 0x123456789abcdefULL, p.s = -200, p.t = 0x5555555, p.e = 'q';
    printf("%d %llx %d %x %c %d\n", p.k, (unsigned long long)p.w, p.s, p.t, p.e, (int)sizeof p);
    p.w = ~0ULL;
    p.s = 255;
    dump(&p, sizeof p);
    struct z z;
    memset(&z, 0, sizeof z);
    z.a = 31, z.b = 17, z.c = 0xfffff;
    dump(&z, sizeof z);
    z.b = 33;
    printf("%d %d %d %d\n", z.a, z.b, z.c, (int)sizeof z);
    struct en en = {FIVE, 300 & 255};
    printf("%d %d %d\n", en.e, en.f, (int)sizeof en);
    printf("%d %d\n", a.y < -1, (a.x = 7));
    return a.y + p.k;
}
// GCC
