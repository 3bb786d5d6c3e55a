// HOLDS
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void); extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    float y = 0;
    while (__VERIFIER_nondet_int()) {
        float x = __VERIFIER_nondet_float();
        if (!(x >= -1 && x <= 1)) return 0;
        y = y * 0.5f + x;
        if (!(y <= 2 && y >= -2)) reach_error();
    }
    return 0;
}
