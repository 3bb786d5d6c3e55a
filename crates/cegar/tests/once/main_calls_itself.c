// FAILS
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);
static int *first;
static int rounds;
int main(void) {
    int *p = malloc(sizeof(int));
    *p = rounds;
    if (!first) first = p;
    int n = __VERIFIER_nondet_int(), s = 0;
    for (int i = 0; i < n && i < 3; i++) s += *p;
    if (rounds++ < 1) return main();
    if (*first != *p) reach_error();
    return s;
}
