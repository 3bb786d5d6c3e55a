// FAILS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int limit = 4;
static void work(int n) {
    for (int i = 0; i < n; i++)
        if (limit == 9 && i == 2) reach_error();
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    for (int k = 0; k < 2; k++) {
        work(n);
        limit = 9;
    }
    return 0;
}
