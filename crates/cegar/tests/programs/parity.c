// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    unsigned n = 0;
    while (__VERIFIER_nondet_int()) {
        n += 2;
        if (n % 2 != 0)
            reach_error();
    }
    return 0;
}
