// FAILS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int *kept;
static int fill(int n) {
    int a[n], s = 0;
    kept = a;
    for (int i = 0; i < n; i++) { a[i] = 1; s += kept[i]; }
    return s;
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100) return 0;
    fill(n);
    int s = 0;
    for (int i = 0; i < n; i++) s += kept[i];
    return s;
}
