// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (!(1 <= n && n <= 100)) return 0;
    int sum = 0, i;
    for (i = 1; i <= n; i++) sum = sum + i;
    if (2 * sum != i * (i - 1)) reach_error();
    return 0;
}
