// deadlock VIOLATED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
pthread_barrier_t b;
int x, y;
void *f(void *a)
{
    x = 1;
    pthread_barrier_wait(&b);
    assert(y == 1);
    pthread_barrier_wait(&b);
    x = 2;
    return 0;
}
void *g(void *a)
{
    y = 1;
    pthread_barrier_wait(&b);
    assert(x == 1);
    pthread_barrier_wait(&b);
    y = 2;
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_barrier_init(&b, 0, 3);
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, g, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
