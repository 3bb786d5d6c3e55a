// assert HOLDS
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
pthread_mutex_t r;
int x;
void *f(void *a)
{
    pthread_mutex_lock(&r);
    pthread_mutex_lock(&r);
    x++;
    pthread_mutex_unlock(&r);
    x++;
    pthread_mutex_unlock(&r);
    return 0;
}
int main(void)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&r, &kind);
    pthread_t p, q;
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, f, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(x == 4);
    return 0;
}
