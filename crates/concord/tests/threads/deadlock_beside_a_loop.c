// deadlock VIOLATED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
/* Two wait for each other's post while a third runs for ever with a semaphore of its own. */
sem_t one, two, three;
void *f(void *a)
{
    sem_wait(&one);
    sem_post(&two);
    return 0;
}
void *g(void *a)
{
    sem_wait(&two);
    sem_post(&one);
    return 0;
}
int main(void)
{
    pthread_t p, q;
    sem_init(&one, 0, 0);
    sem_init(&two, 0, 0);
    sem_init(&three, 0, 1);
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, g, 0);
    for (;;) {
        sem_wait(&three);
        sem_post(&three);
    }
}
