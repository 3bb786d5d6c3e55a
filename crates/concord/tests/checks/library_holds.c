// library HOLDS
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) { unsigned x = __VERIFIER_nondet_uint(); return x ? __builtin_clz(x) : 32; }
