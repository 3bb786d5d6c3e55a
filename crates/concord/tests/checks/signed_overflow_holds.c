// signed-overflow HOLDS
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); if (x < 1000 && x > -1000) { int y = x + 1; return y * 2 > x; } return 0; }
