// FAILS
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);
int main(void) {
    int *p = 0, *before = 0;
    int n = __VERIFIER_nondet_int(), i = 0;
again:
    before = p;
    p = malloc(sizeof(int));
    *p = i;
    if (i++ < n) goto again;
    for (int k = 0; k < n; k++) if (before && *before != *p) reach_error();
    return 0;
}
