// VIOLATED
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int one(int x) { return x + 1; }
static int two(int x) { return x * 2; }
int main(void)
{
    int (*f)(int) = __VERIFIER_nondet_int() > 5 ? one : two;
    if (f(7) == 14)
        reach_error();
    return 0;
}
