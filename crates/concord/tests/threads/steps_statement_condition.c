// assert HOLDS --steps statement
#include <pthread.h>
#include <assert.h>
int x,y; void *w(void*p){ x=1, y=1; return 0;}
int main(void){pthread_t t; pthread_create(&t,0,w,0); if (x != y) assert(0); while (x!=y) assert(0); assert(x==y); return 0;}
