// division HOLDS
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); if (x <= 42) return 0; return 100 / (x - 42); }
