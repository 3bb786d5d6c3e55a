// deadlock VIOLATED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
pthread_t p, q;
sem_t s;
void *f(void *a) { sem_wait(&s); pthread_join(q, 0); return 0; }
void *g(void *a) { sem_wait(&s); pthread_join(p, 0); return 0; }
int main(void)
{
    sem_init(&s, 0, 0);
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, g, 0);
    sem_post(&s);
    sem_post(&s);
    pthread_exit(0);
}
