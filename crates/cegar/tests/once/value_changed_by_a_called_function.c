// FAILS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int state, other = 3;
static void deep(int k) { if (k == 4) state = 7; }
static void middle(int k) { deep(k); other = state; }
int main(void) {
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        middle(i);
        if (other == 7 && i > 5) reach_error();
    }
    return 0;
}
