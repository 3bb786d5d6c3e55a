// assert HOLDS
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned x;
void *f(void *a)
{
    unsigned v;
    pthread_mutex_lock(&m);
    if (x == 0u - 1) {
        pthread_mutex_unlock(&m);
        return 0;
    }
    v = x;
    x = v + 1;
    pthread_mutex_unlock(&m);
    assert(x > v);
    return 0;
}
int main(void)
{
    pthread_t p;
    for (;;)
        pthread_create(&p, 0, f, 0);
}
