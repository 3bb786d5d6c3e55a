#include <assert.h>
union u { int i; struct { short a, c; } s; };
int main(void){ union u x; x.i = 0; x.s.c = 5; assert(x.i == 0); }
