// HOLDS  nothing lies at the first addresses, which programs use as marks
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int g;
int main(void) {
    int *p = __VERIFIER_nondet_int() ? &g : (int *)1;
    if (p == (int *)1) return 0;
    if (p != &g) reach_error();
    return 0;
}
