// VIOLATED: the sum of the greatest number and one is not greater (gcc without `-fwrapv` takes the comparison for true)
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (!(x + 1 > x))
        reach_error();
    return 0;
}
