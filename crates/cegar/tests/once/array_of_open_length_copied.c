// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000) return 0;
    int a[n], b[n];
    for (int i = 0; i < n; i++) a[i] = i + 3;
    for (int i = 0; i < n; i++) b[i] = a[i] - 3;
    for (int i = 0; i < n; i++) if (b[i] != i) reach_error();
    return 0;
}
