#include <stdio.h>
struct s { char c; int i; };
static void copy(void *to, const void *from, unsigned long n)
{
    char *t = to;
    const char *f = from;
    while (n--)
        *t++ = *f++;
}
int main(void)
{
    struct s a, b;
    a.c = 'x';
    a.i = 7;
    copy(&b, &a, sizeof a);
    printf("%c %d\n", b.c, b.i);
    return 0;
}
// OUTPUT x 7
// GCC
