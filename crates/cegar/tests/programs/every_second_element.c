// HOLDS
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void)
{
    unsigned pairs[4000], n = __VERIFIER_nondet_uint();
    if (n > 2000)
        return 0;
    n *= 2;
    for (unsigned i = 0; i < n; i += 2) {
        pairs[i] = __VERIFIER_nondet_uint();
        pairs[i + 1] = pairs[i];
    }
    for (unsigned i = 0; i < n; i += 2)
        if (pairs[i] != pairs[i + 1])
            reach_error();
    return 0;
}
