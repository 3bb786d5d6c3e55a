#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct pair { int a, b; };
static int upto(int most)
{
    int some = __VERIFIER_nondet_int();
    if (some < 1 || some > most)
        exit(0);
    return some;
}
//= UNDECIDED | kept longer than the array
int main(void)
{
    int n = upto(2), *p;
    {
        int a[n];
        a[0] = 1;
        p = a;
    }
    {
        int b[n];
        b[0] = 7;
    }
    assert(*p == 1);
    return 0;
}
//= UNDECIDED --checks all | kept longer than the array
static int *kept;
static void keep(int *p) { kept = p; }
int main(void)
{
    for (int i = 0; i < 2; i++) {
        int a[upto(2)];
        a[0] = i;
        if (kept)
            assert(*kept == 0);
        keep(a);
    }
    return 0;
}
//= UNDECIDED --checks all | kept longer than the array
int main(void)
{
    int n = upto(3), round = 0, *p = 0;
again:;
    int a[n];
    a[0] = round;
    if (round == 1) {
        assert(*p == 0);
        return 0;
    }
    p = a;
    round++;
    goto again;
}
//= UNDECIDED | kept longer than the array
static int *first;
static void remember(int *p)
{
    if (!first)
        first = p;
}
int main(void)
{
    int n = upto(3), round = 0;
again:
    if (round == 2) {
        assert(*first == 0);
        return 0;
    }
    {
        int outer[n];
    inner:;
        int a[n];
        a[0] = round;
        remember(a);
        switch (round++) {
        case 0:
            n = 1;
            goto inner;
        }
        outer[0] = 1;
    }
    goto again;
}
//= HOLDS --checks all
int main(void)
{
    int n = upto(2), round = 0, before[n], *p = before;
    before[n - 1] = 5;
again:;
    int a[n];
    for (int i = 0; i < n; i++) {
        a[i] = i;
        if (round < 1) {
            round++;
            goto again;
        }
    }
    assert(a[n - 1] == n - 1 && p[n - 1] == 5);
    return 0;
}
//= HOLDS --checks all
static void fill(int *p, int count)
{
    for (int i = 0; i < count; i++)
        p[i] = i;
}
int main(void)
{
    for (int i = 1; i < 3; i++) {
        int a[i], *p = a;
        fill(p, i);
        assert(a[i - 1] == i - 1);
    }
    return 0;
}
//= VIOLATED --checks pointer --engine bmc
int main(void)
{
    const int c = upto(3);
    *(int *)&c = 5; /* here */
    return 0;
}
//= HOLDS --checks all --engine bmc
int main(void)
{
    const struct pair c = {upto(3), 2}, *p = &c;
    const int more[] = {1, 2, 3}, *q = more;
    assert(p->a <= 3 && q[p->a - 1] == p->a);
    return 0;
}
//= HOLDS --checks uninitialised --engine bmc
int main(void)
{
    struct pair s, t;
    s.a = 1;
    t = s;
    return t.a != 1;
}
//= VIOLATED --checks uninitialised --engine bmc
int main(void)
{
    struct pair s, t;
    s.a = 1;
    t = s;
    return t.b == 7; /* here */
}
//= UNDECIDED --checks all
int main(int argc, char **argv, char **environment)
{
    return environment[0] != 0 && argv[argc] != 0;
}
//= VIOLATED --checks pointer
int main(int argc, char **argv, char **environment)
{
    return argv[1][0] == 'x'; /* here */
}
//= HOLDS --checks uninitialised --engine bmc
static int first(struct pair s) { return s.a; }
int main(void)
{
    struct pair s;
    s.a = upto(3);
    return first(s) > 3;
}
//= HOLDS
static int compare(const void *one, const void *two)
{
    const struct { int k; char v; } *x = one, *y = two;
    return (x->k > y->k) - (x->k < y->k);
}
int main(void)
{
    struct { int k; char v; } all[2] = {{upto(3), 'a'}, {2, 'b'}};
    qsort(all, 2, sizeof *all, compare);
    assert(all[0].k <= all[1].k);
    return 0;
}
//= UNDECIDED --checks uninitialised
static int compare(const void *one, const void *two)
{
    const struct { int k; char v; } *x = one, *y = two;
    return (x->k > y->k) - (x->k < y->k);
}
int main(void)
{
    struct { int k; char v; } all[2] = {{upto(3), 'a'}, {2, 'b'}};
    // Padding is moved about. HOLDS would be progress; it is no violation.
    qsort(all, 2, sizeof *all, compare);
    assert(all[0].k <= all[1].k);
    return 0;
}
//= VIOLATED --checks uninitialised --engine bmc | returned without a value
static int some(int x)
{
    if (x > 1)
        return x;
}
int main(void)
{
    int r = some(upto(2)); /* here */
    return 0;
}
//= VIOLATED --checks uninitialised --engine k-induction
static int some(int x)
{
    if (x > 1)
        return x;
}
int main(void)
{
    int r = some(upto(2)); /* here */
    return 0;
}
//= VIOLATED --checks uninitialised --engine predicates
static int some(int x)
{
    if (x > 1)
        return x;
}
int main(void)
{
    int r = some(upto(2)); /* here */
    return 0;
}
//= VIOLATED --checks uninitialised --engine intervals
static int some(int x)
{
    if (x > 1)
        return x;
}
int main(void)
{
    int r = some(upto(2)); /* here */
    return 0;
}
//= VIOLATED --checks uninitialised
static int some(int x)
{
    if (x > 1)
        return x;
}
int main(void)
{
    int r = some(upto(2)); /* here */
    return 0;
}
//= HOLDS --checks uninitialised
static int some(int x)
{
    if (x > 0)
        return x;
}
int main(void)
{
    int r = some(upto(2));
    return 0;
}
