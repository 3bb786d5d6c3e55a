// HOLDS
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint(), i = 0, j = 0;
    while (i < n) {
        j = 0;
        while (j < i) {
            if (j >= n)
                reach_error();
            j++;
        }
        i++;
    }
    return 0;
}
