// VIOLATED
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void); extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    float x = __VERIFIER_nondet_float();
    if (x > 0 && !(x / 2 > 0)) reach_error();
    return 0;
}
