// UNDECIDED!  C leaves open which zero `fmin` gives
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void); extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern double fmin(double, double); extern int __signbit(double);
int main(void)
{
    double p = 0.0, n = -0.0;
    if (__signbit(fmin(p, n)) == 0) reach_error();
    return 0;
}
