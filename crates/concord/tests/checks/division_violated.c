// division VIOLATED
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); return 100 / (x - 42); }
