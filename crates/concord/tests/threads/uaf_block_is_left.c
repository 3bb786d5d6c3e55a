// use-after-free VIOLATED
#include <pthread.h>
int *_Atomic g;
void *f(void *a)
{
    if (!a) {
        int x = 1;
        g = &x;
        pthread_exit(0);
    }
    return 0;
}
int main(void)
{
    pthread_t p;
    pthread_create(&p, 0, f, 0);
    pthread_join(p, 0);
    *g = 1;
    return 0;
}
