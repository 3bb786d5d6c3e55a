// HOLDS
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void); extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    union { float f; unsigned u; } a;
    a.f = __VERIFIER_nondet_float() * __VERIFIER_nondet_float();
    if (a.f != a.f && (a.u & 0x7fc00000) != 0x7fc00000) reach_error();
    return 0;
}
