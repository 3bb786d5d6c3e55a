// deadlock HOLDS
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
/* A thread that an assumption stopped holds the mutex: nobody waits for ever but in runs that do not count. */
void __VERIFIER_assume(int);
pthread_mutex_t m;
int x;
void *f(void *a)
{
    pthread_mutex_lock(&m);
    __VERIFIER_assume(x == 1);
    pthread_mutex_unlock(&m);
    return 0;
}
void *g(void *a)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, f, (void *)0);
    pthread_create(&q, 0, g, (void *)1);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
