// assert VIOLATED
#include <pthread.h>
#include <assert.h>
int x;
void *f(void *a){ x++; return 0; }
int main(void){ pthread_t p,q; pthread_create(&p,0,f,0); pthread_create(&q,0,f,0); pthread_join(p,0); pthread_join(q,0); assert(x==2); return 0; }
