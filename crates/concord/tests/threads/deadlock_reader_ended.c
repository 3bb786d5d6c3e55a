// deadlock VIOLATED
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;
void *r(void *a)
{
    pthread_rwlock_rdlock(&l);
    return 0;
}
void *w(void *a)
{
    pthread_rwlock_wrlock(&l);
    pthread_rwlock_unlock(&l);
    x = 1;
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, r, 0);
    pthread_create(&q, 0, w, 0);
    while (x == 0) {
    }
    return 0;
}
