// unreachable HOLDS
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) { switch (__VERIFIER_nondet_uint() & 1) { case 0: return 0; case 1: return 1; default: __builtin_unreachable(); } }
