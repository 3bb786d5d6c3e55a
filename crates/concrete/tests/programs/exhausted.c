extern int __VERIFIER_nondet_int(void);
int main(void)
{
    return __VERIFIER_nondet_int() + __VERIFIER_nondet_int();
}
// INPUTS 9
// UNKNOWN there are no more inputs
