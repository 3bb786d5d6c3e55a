// FAILS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int a[4] = {0, 0, 0, 1}, *p = a, n = __VERIFIER_nondet_int();
    for (int i = 0; i < n && i < 4; i++) {
        if (*p) reach_error();
        if (i < 3) p++;
    }
    return 0;
}
