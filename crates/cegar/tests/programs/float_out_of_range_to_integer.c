// HOLDS
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void); extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    double x = __VERIFIER_nondet_double();
    if (x > 1e10 && x < 1e300 && (int)x != -2147483647 - 1) reach_error();
    if (x == 300 && (unsigned char)x != 44) reach_error();
    if (x == -1 && (unsigned)x != 4294967295u) reach_error();
    return 0;
}
