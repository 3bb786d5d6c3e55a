// assert HOLDS
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
/* POSIX: never a time-out where the mutex can be locked at once. */
#include <time.h>
pthread_mutex_t m;
struct timespec soon;
void *f(void *a)
{
    int r = pthread_mutex_timedlock(&m, &soon);
    assert(r == 0);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t p;
    pthread_create(&p, 0, f, 0);
    pthread_join(p, 0);
    return 0;
}
