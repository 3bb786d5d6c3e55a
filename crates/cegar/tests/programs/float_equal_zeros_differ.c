// VIOLATED
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void); extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    union { float f; unsigned u; } a, b;
    a.f = __VERIFIER_nondet_float(); b.f = __VERIFIER_nondet_float();
    if (a.f == b.f && a.u != b.u) reach_error();
    return 0;
}
