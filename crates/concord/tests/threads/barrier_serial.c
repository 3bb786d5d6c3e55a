// assert VIOLATED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
pthread_barrier_t b;
int first_is_told, x;
void *f(void *a)
{
    int told = pthread_barrier_wait(&b);
    if (told == PTHREAD_BARRIER_SERIAL_THREAD)
        first_is_told = 1;
    return 0;
}
void *g(void *a)
{
    x = pthread_barrier_wait(&b);
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, g, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(x == 0 || !first_is_told);
    assert(!first_is_told);
    return 0;
}
