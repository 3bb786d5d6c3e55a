// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);
static int *make(int length) { return malloc(sizeof(int) * length); }
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000) return 0;
    int *a = make(n), *b = make(n);
    for (int i = 0; i < n; i++) { a[i] = 1; b[i] = 2; }
    for (int i = 0; i < n; i++) if (a[i] == b[i]) reach_error();
    return 0;
}
