// FAILS
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 20) return 0;
    int small[4] = {0}, *a = small;
    if (n > 4) a = malloc(sizeof(int) * n);
    for (int i = 0; i < n; i++) a[i] = 7;
    if (small[0] == 7 && n == 4) reach_error();
    return 0;
}
