// library HOLDS
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
pthread_mutex_t m;
int x;
void *f(void *a)
{
    x = 3;
    return 0;
}
void *g(void *a)
{
    pthread_mutex_lock(&m);
    x = 2;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_mutex_lock(&m);
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, g, 0);
    x = 1;
    pthread_mutex_unlock(&m);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
