// FAILS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int(), *kept = 0, s = 0;
    if (n < 1 || n > 4) return 0;
    for (int k = 0; k < 3; k++) {
        int *a = __builtin_alloca(sizeof(int) * n);
        for (int i = 0; i < n; i++) a[i] = k;
        if (!kept) kept = a;
        s = a[0] - kept[0];
    }
    if (s == 2) reach_error();
    return 0;
}
