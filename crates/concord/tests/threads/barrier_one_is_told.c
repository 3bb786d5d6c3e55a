// assert HOLDS
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
pthread_barrier_t b;
int told[2];
void *f(void *a)
{
    told[(long)a] = pthread_barrier_wait(&b);
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&p, 0, f, (void *)0);
    pthread_create(&q, 0, f, (void *)1);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(told[0] + told[1] == -1);
    return 0;
}
