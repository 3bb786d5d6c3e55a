// cleanup VIOLATED
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) { char *p = malloc(8); if (__VERIFIER_nondet_int() == 5) abort(); free(p); return 0; }
