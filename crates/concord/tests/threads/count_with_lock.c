// assert HOLDS
#include <pthread.h>
#include <assert.h>
int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *a){ pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
int main(void){ pthread_t p,q; pthread_create(&p,0,f,0); pthread_create(&q,0,f,0); pthread_join(p,0); pthread_join(q,0); assert(x==2); return 0; }
