// UNDECIDED!  on one branch an address: must never become HOLDS
extern void *memset(void *, int, unsigned long);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int x;
int main(void) {
    union { int *p; unsigned char b[8]; } u;
    if (__VERIFIER_nondet_int()) u.p = &x; else memset(&u, 0, 8);
    if (u.b[1] == 77) reach_error();
    return 0;
}
