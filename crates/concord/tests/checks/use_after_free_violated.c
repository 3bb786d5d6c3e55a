// use-after-free VIOLATED
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) { int *p = malloc(4); *p = 1; if (__VERIFIER_nondet_int() == 3) free(p); int r = *p; return r; }
