// assert VIOLATED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
pthread_mutex_t m;
int busy;
void *f(void *a)
{
    if (pthread_mutex_trylock(&m) == 0)
        pthread_mutex_unlock(&m);
    else
        busy = 1;
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, f, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(!busy);
    return 0;
}
