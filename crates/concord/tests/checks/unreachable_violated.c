// unreachable VIOLATED
extern int __VERIFIER_nondet_int(void);
int main(void) { switch (__VERIFIER_nondet_int()) { case 0: return 0; case 1: return 1; default: __builtin_unreachable(); } }
