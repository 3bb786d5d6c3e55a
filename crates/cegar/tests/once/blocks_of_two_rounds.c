// FAILS
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);
static int *make(int value) { int *p = malloc(sizeof(int)); *p = value; return p; }
int main(void) {
    int *p = 0, *before = 0;
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) { before = p; p = make(i); }
    if (before && *before != *p) reach_error();
    return 0;
}
