#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
static int ring[4], head, tail, fill;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static sem_t done;
static void put(int x)
{
    pthread_mutex_lock(&m);
    while (fill == 4)
        pthread_cond_wait(&full, &m);
    ring[head++ % 4] = x;
    fill++;
    pthread_cond_signal(&empty);
    pthread_mutex_unlock(&m);
}
static int get(void)
{
    pthread_mutex_lock(&m);
    while (fill == 0)
        pthread_cond_wait(&empty, &m);
    int x = ring[tail++ % 4];
    fill--;
    pthread_cond_signal(&full);
    pthread_mutex_unlock(&m);
    return x;
}
static void *producer(void *argument)
{
    for (int i = 1; i <= 100; i++)
        put(i);
    sem_post(&done);
    return 0;
}
int main(void)
{
    pthread_t t;
    sem_init(&done, 0, 0);
    pthread_create(&t, 0, producer, 0);
    int sum = 0;
    for (int i = 1; i <= 100; i++)
        sum += get();
    sem_wait(&done);
    pthread_join(t, 0);
    printf("%d\n", sum);
    return 0;
}
// OUTPUT 5050
// SCHEDULE 11
// GCC
