// FAILS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int *kept;
static int use(int k) {
    int x = k;
    if (k > 0 && kept) return *kept;
    kept = &x;
    return x;
}
int main(void) {
    int n = __VERIFIER_nondet_int(), s = 0;
    for (int k = 0; k < n && k < 3; k++) s += use(k);
    return s;
}
