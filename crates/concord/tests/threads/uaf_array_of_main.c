// use-after-free HOLDS
#include <pthread.h>
/* An array of run-time length of `main` lives as long as the process. */
void *f(void *a)
{
    *(int *)a = 1;
    return 0;
}
int main(void)
{
    int n = 2;
    int v[n];
    pthread_t p;
    v[1] = 0;
    pthread_create(&p, 0, f, v);
    pthread_join(p, 0);
    return v[1];
}
