// deadlock VIOLATED
#include <pthread.h>
#include <semaphore.h>
sem_t s;
pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
void *f(void *a)
{
    pthread_rwlock_rdlock(&w);
    sem_wait(&s);
    pthread_rwlock_unlock(&w);
    return 0;
}
void *g(void *a)
{
    pthread_rwlock_wrlock(&w);
    pthread_rwlock_unlock(&w);
    return 0;
}
int main(void)
{
    pthread_t p, q, r;
    sem_init(&s, 0, 1);
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, f, 0);
    pthread_create(&r, 0, g, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    pthread_join(r, 0);
    return 0;
}
