// bounds HOLDS
extern unsigned __VERIFIER_nondet_uint(void);
int a[8];
int main(void) { unsigned i = __VERIFIER_nondet_uint(); if (i < 8) a[i] = 1; return a[0]; }
