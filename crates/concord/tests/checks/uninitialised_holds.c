// uninitialised HOLDS
extern int __VERIFIER_nondet_int(void);
int main(void) { int x; if (__VERIFIER_nondet_int() > 0) x = 1; else x = 2; return x; }
