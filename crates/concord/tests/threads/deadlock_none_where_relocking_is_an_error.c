// deadlock HOLDS
#define _GNU_SOURCE
#include <pthread.h>
#include <assert.h>
/* The kind is that of the initialiser: to lock again is an error, or counted. */
pthread_mutex_t n = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int x, y;
void *f(void *a)
{
    pthread_mutex_lock(&n);
    pthread_mutex_lock(&n);
    pthread_mutex_unlock(&n);
    pthread_mutex_lock(&r);
    pthread_mutex_lock(&r);
    y = 1;
    pthread_mutex_unlock(&r);
    pthread_mutex_unlock(&r);
    return 0;
}
int main(void)
{
    pthread_t p;
    pthread_create(&p, 0, f, 0);
    x = 2;
    pthread_join(p, 0);
    return 0;
}
