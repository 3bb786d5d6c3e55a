#include <pthread.h>
static pthread_mutex_t m, n;
static void *work(void *argument)
{
    pthread_mutex_lock(&n);
    for (int i = 0; i < 1000; i++) ;
    pthread_mutex_lock(&m);
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_mutex_init(&m, 0);
    pthread_mutex_init(&n, 0);
    pthread_create(&t, 0, work, 0);
    pthread_mutex_lock(&m);
    for (int i = 0; i < 1000; i++) ;
    pthread_mutex_lock(&n);
    pthread_join(t, 0);
    return 0;
}
// DEADLOCK 2 the mutex in the variable `n`, held by thread 1; the mutex in the variable `m`, held by thread 0
