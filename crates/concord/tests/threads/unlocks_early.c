// assert VIOLATED
#include <pthread.h>
#include <assert.h>
int x; pthread_mutex_t m; extern int __VERIFIER_nondet_int(void);
void *f(void *a){ while(__VERIFIER_nondet_int()){ pthread_mutex_lock(&m); x=1; pthread_mutex_unlock(&m); x=0;} return 0; }
void *g(void *a){ while(1){ pthread_mutex_lock(&m); assert(x==0); pthread_mutex_unlock(&m);} return 0; }
int main(void){ pthread_t p,q; pthread_create(&p,0,f,0); pthread_create(&q,0,g,0); pthread_join(p,0); pthread_join(q,0); return 0; }
