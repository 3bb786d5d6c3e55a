// deadlock VIOLATED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
pthread_mutex_t m;
pthread_cond_t c;
int ready;
void *waits(void *a)
{
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return 0;
}
void *tells(void *a)
{
    ready = 1;
    pthread_cond_signal(&c);
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, waits, (void *)0);
    pthread_create(&q, 0, tells, (void *)1);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
