#include <assert.h>
#include <setjmp.h>
static jmp_buf b; static int n;
static void f(void){ n++; if(n<3) longjmp(b,1); }
int main(void){ volatile int x=0; setjmp(b); x++; f(); assert(n!=3 || x!=3); }
