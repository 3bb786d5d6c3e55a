// HOLDS
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void); extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern double sin(double); extern double cos(double); extern double exp(double);
int main(void)
{
    double x = __VERIFIER_nondet_double(), y = x;
    if (sin(x) > 1 || sin(x) < -1) reach_error();
    if (exp(x) < 0) reach_error();
    if (x - x == 0 && cos(x) != cos(y)) reach_error();
    return 0;
}
