// assert VIOLATED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
/* The first thread leaves though the others have met twice since: by then an even number of times. */
pthread_barrier_t b;
int met;
void *once(void *a)
{
    pthread_barrier_wait(&b);
    assert(met < 2);
    return 0;
}
void *often(void *a)
{
    for (int i = 0; i < 3; i++)
        pthread_barrier_wait(&b);
    return 0;
}
void *last(void *a)
{
    pthread_barrier_wait(&b);
    pthread_barrier_wait(&b);
    met = 2;
    return 0;
}
int main(void)
{
    pthread_t p, q, r;
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&p, 0, once, 0);
    pthread_create(&q, 0, often, 0);
    pthread_create(&r, 0, last, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    pthread_join(r, 0);
    return 0;
}
