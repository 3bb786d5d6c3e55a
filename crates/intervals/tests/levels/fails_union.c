#include <assert.h>
#include <string.h>
union u { int i; unsigned char b[4]; float f; };
int main(void){ union u x; memset(&x,0,sizeof x); x.b[1]=1; assert(x.i==0); }
