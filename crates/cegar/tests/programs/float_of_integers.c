// VIOLATED
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void); extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    int i = __VERIFIER_nondet_int();
    if ((int)(double)i != i) return 1;
    if (i > 0 && i < 16777220 && (int)(float)i != i) reach_error();
    return 0;
}
