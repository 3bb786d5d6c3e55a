// HOLDS
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void); extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern float fmodf(float, float); extern double fmod(double, double);
int main(void)
{
    float x = __VERIFIER_nondet_float();
    double d = __VERIFIER_nondet_double();
    if (x >= 0 && x < 1e6f && !(fmodf(x, 3) < 3)) reach_error();
    if (d >= 0 && d < 1000 && !(fmod(d, 7) < 7)) reach_error();
    if (fmod(1e300, 3) != 1 && fmod(1e300, 3) != 2 && fmod(1e300, 3) != 0) reach_error();
    return 0;
}
