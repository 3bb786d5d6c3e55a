// assert HOLDS
#define _GNU_SOURCE
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
pthread_mutex_t e = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
void *f(void *a)
{
    int r = pthread_mutex_unlock(&e);
    assert(r == 1);
    pthread_mutex_lock(&e);
    r = pthread_mutex_lock(&e);
    assert(r == 35);
    pthread_mutex_unlock(&e);
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, f, (void *)0);
    pthread_create(&q, 0, f, (void *)1);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
