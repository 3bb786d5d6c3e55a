// assert HOLDS
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
struct q { pthread_mutex_t lock; int n; };
void *f(void *a){ struct q *q=a; pthread_mutex_lock(&q->lock); q->n++; pthread_mutex_unlock(&q->lock); return 0; }
int main(void){ struct q *q=malloc(sizeof *q); pthread_mutex_init(&q->lock,0); q->n=0; pthread_t t[3]; for(int i=0;i<3;i++) pthread_create(&t[i],0,f,q); for(int i=0;i<3;i++) pthread_join(t[i],0); assert(q->n==3); free(q); return 0; }
