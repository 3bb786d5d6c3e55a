// VIOLATED
extern int __VERIFIER_nondet_int(void);
extern long __VERIFIER_nondet_long(void);
extern void reach_error(void);
int main(void)
{
    int n = __VERIFIER_nondet_int();
    long other = n == 17 ? 1 : __VERIFIER_nondet_long();
    if (n == 17 && other == 1)
        reach_error();
    return 0;
}
