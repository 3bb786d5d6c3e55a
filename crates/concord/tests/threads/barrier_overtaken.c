// deadlock VIOLATED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
/* Two of three threads meet again before the third has left: it leaves all the same. One waits for ever at its second meeting. */
pthread_barrier_t b;
int left;
void *once(void *a)
{
    pthread_barrier_wait(&b);
    left = 1;
    return 0;
}
void *twice(void *a)
{
    pthread_barrier_wait(&b);
    pthread_barrier_wait(&b);
    return 0;
}
int main(void)
{
    pthread_t p, q, r;
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&p, 0, once, 0);
    pthread_create(&q, 0, twice, 0);
    pthread_create(&r, 0, twice, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    pthread_join(r, 0);
    return 0;
}
