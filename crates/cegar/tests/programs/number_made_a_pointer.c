// UNDECIDED!  which number is the address of `g` is not known: must never become HOLDS (linked without -pie it fails)
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void reach_error(void);
static int g;
int main(void) {
    unsigned long x = __VERIFIER_nondet_ulong();
    if (x > 0x7fffffff) return 0;
    int *p = (int *)x;
    if (p == &g) reach_error();
    return 0;
}
