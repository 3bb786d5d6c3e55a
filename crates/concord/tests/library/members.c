#include <assert.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct pair { int a[2]; int b; };
struct named { char name[4]; int b; };
static int upto(int most)
{
    int some = __VERIFIER_nondet_int();
    if (some < 0 || some > most)
        exit(0);
    return some;
}
//= VIOLATED --checks bounds | index 2 is past the end of `s.a[2]`
int main(void)
{
    struct pair s = {{1, 2}, 3};
    int i = upto(2);
    s.a[i++] = 9; /* here */
    return 0;
}
//= VIOLATED --checks bounds --engine bmc
int main(void)
{
    int m[2][2] = {{1, 2}, {3, 4}};
    int i = 0, j = upto(2);
    m[i][j++] = 9; /* here */
    return 0;
}
//= VIOLATED --checks bounds
int main(void)
{
    struct pair s = {{1, 2}, 3}, *p = &s;
    int i = upto(2);
    return p->a[i++] == 7; /* here */
}
//= HOLDS --checks all
int main(void)
{
    struct pair s = {{1, 2}, 3}, *p = &s;
    int i = upto(1);
    p->a[i++] = 9;
    assert(s.b == 3 && s.a[i - 1] == 9);
    return 0;
}
//= VIOLATED --checks bounds
struct one { int a[1]; int b; };
int main(void)
{
    struct one s = {{1}, 3};
    s.a[upto(1)] = 9; /* here */
    assert(s.b == 3);
    return 0;
}
//= VIOLATED --engine testing
int main(void)
{
    struct pair s = {{1, 2}, 3};
    int *p = s.a;
    p[2] = 9;
    assert(s.b == 3); /* here */
    return 0;
}
//= VIOLATED --engine bmc
int main(void)
{
    struct pair s = {{1, 2}, 3};
    int *p = s.a;
    p[2] = 9;
    assert(s.b == 3); /* here */
    return 0;
}
//= VIOLATED --engine bmc
int main(void)
{
    struct pair s = {{1, 2}, 3};
    int *p = &s.a[2];
    *p = 9;
    assert(s.b == 3); /* here */
    return 0;
}
//= VIOLATED --engine bmc --checks all
int main(void)
{
    struct named s = {"", 0};
    strcpy(s.name, "abcdefg");
    assert(s.b == 0); /* here */
    return 0;
}
//= HOLDS --checks all
static void put(char *p, int count)
{
    for (int i = 0; i < count; i++)
        p[i] = 'x';
}
int main(void)
{
    struct named s = {"", 0};
    char other[6];
    put(other, 6);
    put(s.name, upto(4));
    assert(s.b == 0);
    return 0;
}
//= VIOLATED --engine bmc
int main(void)
{
    struct pair s = {{1, 2}, 3};
    memset(s.a, 0, sizeof s);
    assert(s.b == 3); /* here */
    return 0;
}
//= VIOLATED --engine bmc
int main(void)
{
    struct { int a, b; } s = {1, 2}, t = {3, 4};
    memcpy(&s.a, &t.a, sizeof s);
    assert(s.b == 2); /* here */
    return 0;
}
//= HOLDS --engine bmc
int main(void)
{
    struct pair s = {{1, 2}, 3};
    memset(s.a, 0, sizeof s.a);
    assert(s.b == 3 && s.a[1] == 0);
    return 0;
}
//= HOLDS --engine bmc
int main(void)
{
    struct named s = {"abc", 3};
    char text[8] = "1234567";
    memcpy(s.name, text, upto(4));
    assert(s.b == 3);
    return 0;
}
//= VIOLATED --engine bmc
int main(void)
{
    struct pair *s = calloc(2, sizeof *s);
    int *p = s[0].a;
    p[upto(3)] = 9;
    assert(s[0].b == 0); /* here */
    free(s);
    return 0;
}
//= UNDECIDED --engine pdr | leaves the array
int main(void)
{
    struct pair s = {{1, 2}, 3};
    int *p = s.a;
    p[upto(2)] = 9;
    assert(s.a[0] != 7);
    return 0;
}
