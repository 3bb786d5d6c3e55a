// FAILS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int next(int x) { return x < 5 ? x + 1 : 0; }
int main(void) {
    int x = 0, y = 0, n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        y = next(x);
        if (i & 1) x = y;
        if (x == 3) reach_error();
    }
    return 0;
}
