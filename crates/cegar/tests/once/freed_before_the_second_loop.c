// FAILS
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100) return 0;
    char *a = malloc(n);
    for (int i = 0; i < n; i++) a[i] = 7;
    if (n == 50) free(a);
    for (int i = 0; i < n; i++) a[i] = 8;
    return 0;
}
