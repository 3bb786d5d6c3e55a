// VIOLATED
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    int filled[50] = {0}, n = __VERIFIER_nondet_int(), k;
    if (n < 1 || n > 50)
        return 0;
    for (int i = 0; i + 1 < n; i++)
        filled[i] = 2 * i + 7;
    k = __VERIFIER_nondet_int();
    if (k >= 0 && k < n && filled[k] != 2 * k + 7)
        reach_error();
    return 0;
}
