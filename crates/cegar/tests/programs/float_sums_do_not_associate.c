// VIOLATED
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void); extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float(), z = 1;
    if (x > 0 && x < 9 && y > 0 && y < 9 && (x + y) + z != x + (y + z)) reach_error();
    return 0;
}
