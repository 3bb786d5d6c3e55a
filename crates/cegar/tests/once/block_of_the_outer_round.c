// FAILS
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int(), *kept = 0;
    for (int k = 0; k < 2; k++) {
        int *p = malloc(sizeof(int));
        *p = k;
        if (!kept) kept = p;
        for (int i = 0; i < n; i++)
            if (i == 2 && *kept != *p) reach_error();
    }
    return 0;
}
