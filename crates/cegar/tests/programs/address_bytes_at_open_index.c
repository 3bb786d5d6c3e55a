// UNDECIDED!  an address at an open index: must never become HOLDS
extern void *memcpy(void *, const void *, unsigned long);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int x; static unsigned char b[400];
int main(void) {
    int *p = &x; unsigned i = __VERIFIER_nondet_int();
    if (i > 390) return 0;
    memcpy(b + i, &p, 8);
    if (b[100] == 77) reach_error();
    return 0;
}
