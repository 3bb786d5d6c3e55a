// assert HOLDS
#include <pthread.h>
_Thread_local int v; __thread int w; void *f(void*p){ v++; w++;
//@ assert v==1 && w==1;
 return 0; } int main(void){ pthread_t a,b; pthread_create(&a,0,f,0); pthread_create(&b,0,f,0); f(0); return 0;}
