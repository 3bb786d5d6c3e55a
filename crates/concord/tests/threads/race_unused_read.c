// race VIOLATED
#include <pthread.h>
/* A statement that is only a variable reads it. */
int g;
void *f(void *a)
{
    (void)g;
    return 0;
}
void *h(void *a)
{
    g = 1;
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, h, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
