#include <assert.h>
#include <string.h>
struct b { unsigned a:3, b:5; int c:4; };
int main(void){ struct b x; memset(&x,0,sizeof x); x.a=5; x.c=-3; x.b=17; assert(x.a!=5||x.b!=17||x.c!=-3); }
