// assert HOLDS
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
pthread_key_t k;
int one, two;
void *f(void *a)
{
    assert(pthread_getspecific(k) == 0);
    pthread_setspecific(k, &one);
    assert(pthread_getspecific(k) == &one);
    return 0;
}
void *g(void *a)
{
    assert(pthread_getspecific(k) == 0);
    pthread_setspecific(k, &two);
    assert(pthread_getspecific(k) == &two);
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_key_create(&k, 0);
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, g, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
