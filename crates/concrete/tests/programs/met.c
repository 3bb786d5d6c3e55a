extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern double __VERIFIER_nondet_double(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
int main(void)
{
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 0 && x < 10);
    if (!__VERIFIER_nondet_bool())
        return 99;
    return x + __VERIFIER_nondet_uchar() + (int)(2 * __VERIFIER_nondet_double());
}
// INPUTS 9 1 200 __VERIFIER_nondet_double = 1.5
// EXIT 212
