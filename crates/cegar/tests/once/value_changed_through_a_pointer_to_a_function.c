// FAILS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int state;
static void raise(void) { state = 1; }
static void nothing(void) { }
int main(void) {
    int n = __VERIFIER_nondet_int();
    void (*act)(void) = nothing;
    for (int i = 0; i < n; i++) {
        if (i == 3) act = raise;
        act();
        if (state && i == 5) reach_error();
    }
    return 0;
}
