// use-after-free VIOLATED
#include <pthread.h>
/* What alloca gave ends with the call. */
int *_Atomic g;
void *f(void *a)
{
    g = __builtin_alloca(4);
    *g = 1;
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
