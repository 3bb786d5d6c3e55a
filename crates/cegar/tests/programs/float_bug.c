// VIOLATED
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);
int main(void)
{
    float x = __VERIFIER_nondet_float();
    if (x * x == 2.25f && x > 0)
        reach_error();
    return 0;
}
