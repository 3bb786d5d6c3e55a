// VIOLATED
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int never(int x) { return x == 5 ? never(x) : never(x + 1); }
static int sum(int n) { return n <= 0 ? 0 : n + sum(n - 1); }
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n == 77777)
        never(n);
    if (n > 3 && n < 6 && sum(n) == 15)
        reach_error();
    return 0;
}
