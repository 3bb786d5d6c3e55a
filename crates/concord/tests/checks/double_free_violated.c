// double-free VIOLATED
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) { char *p = malloc(1); free(p); if (__VERIFIER_nondet_int() > 100) free(p); return 0; }
