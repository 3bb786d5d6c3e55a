// FAILS
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void *realloc(void *, unsigned long);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 20) return 0;
    char *a = malloc(n);
    for (int i = 0; i < n; i++) a[i] = 7;
    char *b = realloc(a, n + 1);
    for (int i = 0; i < n; i++) b[i] = 8;
    for (int i = 0; i < n; i++) a[i] = 9;
    return 0;
}
