#include <stdio.h>
struct in { short s; double d; char c[3]; };
struct out { char a; struct in in[2]; struct { int x, y; }; union { long l; char b[8]; }; };
static struct out global = {.a = 'g', .in[1] = {.d = 2.5, .c = "ab"}, .y = 9, .l = 0x41};
static struct out make(struct out o, int n)
{
    o.in[0].s += n;
    o.x = n * 2;
    return o;
}
static struct { int n; struct in *p; } chain = {2, global.in};
static int *const table[] = {&global.x, &global.y};
int main(void)
{
    struct out o = make(global, 4), *p = &o;
    struct out q = *p;
    q.in[1] = q.in[0];
    printf("%c %d %g %s %d %d %ld %c\n", q.a, q.in[0].s, q.in[1].d, p->in[1].c, p->x, p->y, q.l, q.b[0]);
    printf("%d %d %g %d\n", (int)sizeof o, chain.n, chain.p[1].d, *table[1]);
    printf("%d\n", make((struct out){.in = {{7}}}, 1).in[0].s);
    printf("%d\n", ((struct in[]){{1}, {2}, {3}})[2].s);
    return p->in[1].c[1] == 'b';
}
// GCC
