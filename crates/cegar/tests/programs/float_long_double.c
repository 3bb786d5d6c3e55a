// HOLDS
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void); extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    double x = __VERIFIER_nondet_double();
    long double y = x;
    if (x > -1e100 && x < 1e100 && (double)(y + 1 - 1) != x && x > 1 && x < 1024) reach_error();
    return 0;
}
