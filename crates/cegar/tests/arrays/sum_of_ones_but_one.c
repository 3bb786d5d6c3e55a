// FAILS
extern short __VERIFIER_nondet_short(void);
extern void *malloc(unsigned long);
extern void reach_error(void);
int main(void) {
    short n = __VERIFIER_nondet_short();
    if (n < 2) return 0;
    int *a = malloc(sizeof(int) * n), i;
    long long sum = 0;
    for (i = 0; i < n; i++) a[i] = 1;
    a[n - 1] = __VERIFIER_nondet_short();
    for (i = 0; i < n; i++) sum = sum + a[i];
    if (sum != n) reach_error();
    return 0;
}
