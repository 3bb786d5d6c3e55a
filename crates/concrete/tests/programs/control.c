#include <stdio.h>
static int calls;
static int f(int x) { calls++; return x; }
static void duff(char *to, const char *from, int count)
{
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *to++ = *from++;
    case 7: *to++ = *from++;
    case 6: *to++ = *from++;
    case 5: *to++ = *from++;
    case 4: *to++ = *from++;
    case 3: *to++ = *from++;
    case 2: *to++ = *from++;
    case 1: *to++ = *from++;
            } while (--n > 0);
    }
}
static int classify(long x)
{
    switch (x) {
    case -1: return 1;
    case 5 ... 9: x++;
    case 3: return (int)x;
    default: break;
    case 0x7fffffffffL: return 77;
    }
    return 0;
}
int main(void)
{
    char buffer[32] = {0};
    duff(buffer, "the quick brown fox", 19);
    puts(buffer);
    printf("%d %d %d %d %d\n", classify(-1), classify(7), classify(3), classify(4), classify(0x7fffffffffL));
    int a = f(0) && f(1) || f(2) && !f(0);
    int b = f(3) ? f(4), f(5) : f(6);
    int c = f(0) ?: f(9);
    printf("%d %d %d %d\n", a, b, c, calls);
    int i = 0;
again:
    if (i++ < 3) {
        int fresh = i;
        if (fresh == 2)
            goto again;
        printf("%d", fresh);
        goto again;
    }
    putchar('\n');
    int s = 0;
    for (int x = 0; x < 10; x++) {
        if (x == 2) continue;
        if (x == 7) break;
        s += ({ int y = x; y * y; });
    }
    do s++; while (s % 5);
    printf("%d\n", s);
    int (*table[])(int) = {f, f};
    return table[0](s) & 255;
}
// GCC
