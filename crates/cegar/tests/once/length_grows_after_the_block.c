// FAILS
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100) return 0;
    int *a = malloc(sizeof(int) * n);
    n++;
    for (int i = 0; i < n; i++) a[i] = 7;
    return 0;
}
