// assert VIOLATED
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m; pthread_cond_t c; int ready;
void *w(void *a){ pthread_mutex_lock(&m); if(!ready) pthread_cond_wait(&c,&m); assert(ready); pthread_mutex_unlock(&m); return 0; }
void *s(void *a){ pthread_mutex_lock(&m); ready=1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }
int main(void){ pthread_t p,q; pthread_create(&p,0,w,0); pthread_create(&q,0,s,0); pthread_join(p,0); pthread_join(q,0); return 0; }
