// cleanup HOLDS
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) { if (__VERIFIER_nondet_int() == 5) abort(); char *p = malloc(8); free(p); if (__VERIFIER_nondet_int() == 6) abort(); return 0; }
