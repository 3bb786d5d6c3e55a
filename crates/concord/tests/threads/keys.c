// assert HOLDS
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
pthread_key_t k;
void *f(void *a)
{
    int own = (int)(long)a;
    assert(pthread_getspecific(k) == 0);
    pthread_setspecific(k, &own);
    assert(*(int *)pthread_getspecific(k) == (int)(long)a);
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_key_create(&k, 0);
    pthread_create(&p, 0, f, (void *)3);
    pthread_create(&q, 0, f, (void *)4);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
