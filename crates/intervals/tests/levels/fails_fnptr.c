#include <assert.h>
static int s; static void a(void){s+=1;} static void b(void){s+=10;} 
int main(void){ void (*f[3])(void)={a,b,a}; for(int i=0;i<7;i++) f[i%3](); assert(s!=25); }
