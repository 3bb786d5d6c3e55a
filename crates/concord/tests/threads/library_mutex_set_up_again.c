// library VIOLATED
#include <pthread.h>
#include <assert.h>
/* A mutex is initialised while another thread has it: undefined, and both are in the section then. */
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *f(void *a)
{
    pthread_mutex_lock(&m);
    int y = x;
    x = y + 1;
    assert(x == y + 1);
    pthread_mutex_unlock(&m);
    return 0;
}
void *g(void *a)
{
    pthread_mutex_init(&m, 0);
    pthread_mutex_lock(&m);
    x = 7;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, g, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
