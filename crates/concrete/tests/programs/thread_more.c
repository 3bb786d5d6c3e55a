#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_barrier_t barrier;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static __thread int mine = 10;
static int shared, inits, freed;
static void init(void) { inits++; }
static void drop(void *p) { freed += *(int *)p; free(p); }
static void *work(void *argument)
{
    long n = (long)argument;
    pthread_once(&once, init);
    int *p = malloc(sizeof *p);
    *p = (int)n;
    pthread_setspecific(key, p);
    mine += (int)n;
    pthread_rwlock_wrlock(&lock);
    shared += mine;
    pthread_rwlock_unlock(&lock);
    int r = pthread_barrier_wait(&barrier);
    pthread_rwlock_rdlock(&lock);
    int seen = shared;
    pthread_rwlock_unlock(&lock);
    if (*(int *)pthread_getspecific(key) != n)
        abort();
    if (n == 2)
        pthread_exit((void *)(long)(seen + (r ? 1 : 0) * 0));
    return (void *)(long)seen;
}
int main(void)
{
    pthread_t t[3];
    pthread_barrier_init(&barrier, 0, 3);
    pthread_key_create(&key, drop);
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 3; i++) {
        void *r;
        pthread_join(t[i], &r);
        printf("%ld\n", (long)r);
    }
    printf("%d %d %d %d\n", inits, freed, mine, pthread_self() == t[0]);
    return 0;
}
// SCHEDULE 2
// OUTPUT 33
// OUTPUT 33
// OUTPUT 33
// OUTPUT 1 3 10 0
// GCC
