// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int identity(int x) { return x == 0 ? 0 : identity(x - 1) + 1; }
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        return 0;
    if (identity(n) != n)
        reach_error();
    return 0;
}
