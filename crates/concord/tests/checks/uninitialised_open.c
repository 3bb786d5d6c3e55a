// uninitialised UNDECIDED!
// The elements are written one by one: must never become HOLDS by looking at the array as a whole.
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) { int a[4]; unsigned i = __VERIFIER_nondet_uint() % 4; a[i] = 1; int *p = a; return p != 0; }
