// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[40000];
int main(void) {
    int i, x, at = 0, found = 0, wanted = __VERIFIER_nondet_int();
    for (i = 0; i < 40000; i++) a[i] = __VERIFIER_nondet_int();
    for (i = 0; i < 40000 && !found; i++)
        if (a[i] == wanted) {
            found = 1;
            at = i;
        }
    if (found)
        for (i = at; i < 39999; i++) a[i] = a[i + 1];
    if (found)
        for (x = 0; x < at; x++)
            if (a[x] == wanted) reach_error();
    return 0;
}
