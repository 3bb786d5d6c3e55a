// UNDECIDED!  which NaN an operation makes is open
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void); extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    union { float f; unsigned u; } a, b;
    float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float();
    a.f = x + y; b.f = y + x;
    if (a.u != b.u && a.f != a.f && b.u == 0x7fc00001) reach_error();
    return 0;
}
