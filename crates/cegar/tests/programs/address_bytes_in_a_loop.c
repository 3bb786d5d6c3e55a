// UNDECIDED!  a loop without bound between: must never become HOLDS
extern void *memcpy(void *, const void *, unsigned long);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int x; static unsigned char b[16];
int main(void) {
    int *p = &x; memcpy(b, &p, 8);
    while (__VERIFIER_nondet_int()) b[9]++;
    if (b[1] == 77) reach_error();
    return 0;
}
