// assert VIOLATED
#include <pthread.h>
#include <assert.h>
int x; void *w(void*p){ x++; return 0;}
int main(void){pthread_t s,t; pthread_create(&t,0,w,0); pthread_create(&s,0,w,0); pthread_join(t,0); pthread_join(s,0); assert(x==2); return 0;}
