// deadlock HOLDS
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
/* A thread may be waiting when the process ends: that is none, as somebody might still have posted. */
sem_t s;
void *f(void *a)
{
    sem_wait(&s);
    return 0;
}
int main(void)
{
    pthread_t p;
    sem_init(&s, 0, 0);
    pthread_create(&p, 0, f, 0);
    sem_post(&s);
    return 0;
}
