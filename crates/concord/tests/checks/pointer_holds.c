// pointer HOLDS
extern int __VERIFIER_nondet_int(void);
int x;
int main(void) { int *p = __VERIFIER_nondet_int() == 7 ? 0 : &x; return p ? *p : 0; }
