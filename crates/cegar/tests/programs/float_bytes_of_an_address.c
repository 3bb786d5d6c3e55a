// UNDECIDED!  an address read as a float: must never become HOLDS
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void); extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    static int x;
    union { int *p; double d; } u;
    u.p = &x;
    if (!(u.d < 1e-300)) reach_error();
    return 0;
}
