// assert VIOLATED
#define _GNU_SOURCE
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
pthread_mutex_t r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int x;
void *f(void *a)
{
    pthread_mutex_lock(&r);
    pthread_mutex_lock(&r);
    x++;
    pthread_mutex_unlock(&r);
    pthread_mutex_unlock(&r);
    x++;
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, f, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(x == 4);
    return 0;
}
