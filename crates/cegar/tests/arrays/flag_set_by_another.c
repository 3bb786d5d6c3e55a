// FAILS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[4000];
int main(void) {
    int i, x, at = 0, found = 0, wanted = __VERIFIER_nondet_int();
    for (i = 0; i < 4000; i++) a[i] = __VERIFIER_nondet_int();
    for (i = 0; i < 4000 && !found; i++) {
        if (a[i] == wanted) {
            found = 1;
            at = i;
        }
        if (a[i] == -wanted) found = 1, at = i + 1;
    }
    if (found)
        for (x = 0; x < at; x++)
            if (a[x] == -wanted) reach_error();
    return 0;
}
