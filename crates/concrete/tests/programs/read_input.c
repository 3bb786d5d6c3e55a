#include <stdio.h>
int main(void)
{
    int a;
    unsigned x;
    char word[10], line[40];
    double d;
    long double e;
    short h;
    char set[8];
    int n = scanf("%d %x , %9s %lf%Lf", &a, &x, word, &d, &e);
    printf("%d: %d %u %s %g %Lg\n", n, a, x, word, d, e);
    getchar();
    printf("%s", fgets(line, sizeof line, stdin));
    n = sscanf(line, "%hd:%[a-c]%*d%n", &h, set, &a);
    printf("%d %hd %s %d\n", n, h, set, a);
    int c;
    while ((c = getchar()) != EOF)
        putchar(c == 'o' ? '0' : c);
    printf("%d\n", scanf("%d", &a));
    return 0;
}
// STDIN -12 0xff, hello 1.5e3 0x1p-2
// STDIN -7:abcab42 rest
// STDIN foo
// STDIN boo
// GCC
