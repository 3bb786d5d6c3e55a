// race VIOLATED
#include <pthread.h>
#include <semaphore.h>
/* sem_getvalue tells what was posted, and orders nothing: the two accesses race, though they never stand side by side. */
sem_t s;
int x;
void *f(void *a)
{
    x = 1;
    sem_post(&s);
    return 0;
}
void *g(void *a)
{
    int value;
    sem_getvalue(&s, &value);
    if (value)
        x = 2;
    return 0;
}
int main(void)
{
    pthread_t p, q;
    sem_init(&s, 0, 0);
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, g, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
