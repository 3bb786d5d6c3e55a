// FAILS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[3000];
int main(void) {
    int n = __VERIFIER_nondet_int(), i, v;
    if (n < 2 || n > 3000) return 0;
    for (i = 1; i <= n / 2; i++) {
        v = __VERIFIER_nondet_int();
        a[2 * i - 2] = v != 0 ? v : 10;
        a[2 * i - 1] = 4;
    }
    for (i = 0; i < n; i++)
        if (a[i] == 0) reach_error();
    return 0;
}
