// HOLDS
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void)
{
    unsigned filled[1000], n = __VERIFIER_nondet_uint(), i;
    if (n > 1000)
        return 0;
    for (i = 0; i < n; i++) {
        filled[i] = i + 1;
        if (filled[i] > n)
            reach_error();
    }
    if (i != n)
        reach_error();
    return 0;
}
