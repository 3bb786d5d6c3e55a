// use-after-free HOLDS
#include <pthread.h>
/* Where `main` returns, the process ends: nobody sees its variables after that. */
void *f(void *a)
{
    *(int *)a = 1;
    return 0;
}
int main(void)
{
    int x = 0;
    pthread_t p;
    pthread_create(&p, 0, f, &x);
    pthread_detach(p);
    return 0;
}
