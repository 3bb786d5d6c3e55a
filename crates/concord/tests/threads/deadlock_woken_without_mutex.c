// deadlock VIOLATED
#include <pthread.h>
/* The signal comes, and whoever sent it keeps the mutex. */
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;
void *waits(void *a)
{
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return 0;
}
void *sends(void *a)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, waits, 0);
    pthread_create(&q, 0, sends, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
