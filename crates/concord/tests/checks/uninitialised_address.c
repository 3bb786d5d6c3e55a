// uninitialised HOLDS
// Only one element is written, and only the address of the array is used.
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) { int a[4]; unsigned i = __VERIFIER_nondet_uint() % 4; a[i] = 1; int *p = a; return p != 0; }
