// FAILS
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 2 || n > 50000) return 0;
    long long *a = malloc(sizeof(long long) * n), i;
    for (i = 0; i < n; i++) a[i] = i * i + 2;
    for (i = 0; i < n - 1; i++) a[i] = a[i] - 2;
    for (i = 0; i < n; i++)
        if (a[i] != i * i) reach_error();
    return 0;
}
