// HOLDS
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void); extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float();
    if (x < y && !(y - x > 0)) reach_error();
    return 0;
}
