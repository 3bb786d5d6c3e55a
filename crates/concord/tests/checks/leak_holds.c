// leak HOLDS
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) { char *p = malloc(8); if (__VERIFIER_nondet_int() != 5) { free(p); return 0; } free(p); exit(1); }
