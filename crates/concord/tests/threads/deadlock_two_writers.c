// deadlock HOLDS
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int a;
void *w(void *p)
{
    a = 1;
    pthread_rwlock_wrlock(&l);
    pthread_rwlock_unlock(&l);
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, w, 0);
    pthread_create(&q, 0, w, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
