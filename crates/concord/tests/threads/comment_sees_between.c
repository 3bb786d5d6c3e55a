// assert VIOLATED
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);
int a,b; 
void *w(void*p){ a++; b++; return 0;}
int main(void){pthread_t t; pthread_create(&t,0,w,0);
//@ assert a==b;
return 0;}
