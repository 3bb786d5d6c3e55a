// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    unsigned i = 0, j = 0;
    while (__VERIFIER_nondet_int()) {
        i++;
        j += 3;
    }
    if (j != 3 * i)
        reach_error();
    return 0;
}
