/* Control flow, functions of all kinds, names that meet. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int order;
__attribute__((constructor)) static void first(void) { order = 1; }
__attribute__((destructor)) static void last(void) { printf("bye %d\n", order); }
static int counter(void) { static int n; return ++n; }
static int other(void) { static int n = 10; return ++n; }

static double mean(int n, ...)
{
    va_list list, copy;
    double sum = 0;
    va_start(list, n);
    va_copy(copy, list);
    for (int i = 0; i < n; i++)
        sum += va_arg(list, double);
    sum += va_arg(copy, double);
    va_end(copy);
    va_end(list);
    return sum / n;
}
static void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}
static int old_style(c, f) char c; float f; { return c + (int)(f * 2); }
typedef int (*operation)(int, int);
static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static operation choose(int which) { return which ? plus : minus; }
static int (*(*chooser)(int))(int, int) = choose;

static void duff(char *to, const char *from, int count)
{
    int n = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { *to++ = *from++;
    case 3: *to++ = *from++;
    case 2: *to++ = *from++;
    case 1: *to++ = *from++;
            } while (--n > 0);
    }
}
static int find(int a[][3], int rows, int what)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < 3; j++)
            if (a[i][j] == what)
                goto found;
    return -1;
found:
    return 1;
}
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int no_result(int x) { if (x) return x; }

int main(int argc, char **argv)
{
    int n = counter(), m = counter();
    n += m * other();
    say("%d %s %.2f\n", n, argc > 5 ? "many" : "few", mean(2, 1.5, 2.5));
    int (*any)() = (int (*)())old_style;
    say("%d %d %d\n", any(200, 1.5), chooser(1)(3, 4), (*choose(0))(3, 4));
    char text[10] = { 0 };
    duff(text, "abcdefg", 7);
    int grid[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    say("%s %d %d\n", text, find(grid, 2, 5), find(grid, 2, 9));
    int numbers[] = { 5, 3, 9, 1 };
    qsort(numbers, 4, sizeof numbers[0], compare);
    {
        int n = numbers[0], counter = fib(10);
        for (int n = 0; n < 3; n++)
            if (n == 1) continue; else counter += n;
        say("%d %d %d\n", n, counter, no_result(4));
    }
    switch (n) { default: say("default\n"); case -1: break; case 5 ... 9: say("some\n"); }
    int length = n % 7 + 2, total = 0;
    int lengths[length];
    for (int i = 0; i < length; i++)
        lengths[i] = i;
    for (int *p = lengths; p != lengths + length; ++p)
        total += *p;
    int i = 0, a[3] = { 0 };
    a[i++] = 7, i && (a[i] = ({ int t = i; t * 2; }));
    say("%d %d %d %d\n", total, a[0], a[1], (i ?: 9) + (total > 3 && a[1] == 2 || argc > 3));
    exit(n & 0x3f);
}
