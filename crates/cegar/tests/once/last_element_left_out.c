// FAILS
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100) return 0;
    int *a = malloc(sizeof(int) * n);
    for (int i = 0; i < n; i++) a[i] = 7;
    a[n - 1] = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) if (a[i] != 7) reach_error();
    return 0;
}
