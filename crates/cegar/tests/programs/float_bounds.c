// HOLDS
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);
int main(void)
{
    double x = __VERIFIER_nondet_double();
    if (x > 1.0 && x < 0.5)
        reach_error();
    if (x >= 2.0 && -x > 0.0)
        reach_error();
    return 0;
}
