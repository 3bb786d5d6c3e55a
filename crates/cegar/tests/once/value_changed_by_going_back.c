// FAILS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int limit = 4, rounds = 0, n = __VERIFIER_nondet_int();
again:
    for (int i = 0; i < limit; i++)
        if (i == 6) reach_error();
    if (n > 2 && rounds++ == 0) { limit = 9; goto again; }
    return 0;
}
