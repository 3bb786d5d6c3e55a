// leak VIOLATED
#include <pthread.h>
#include <stdlib.h>
/* What a thread allocates and frees in one go, under a lock even, may be there when `main` returns. */
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *f(void *a)
{
    pthread_mutex_lock(&m);
    int *p = malloc(sizeof *p);
    x = 1;
    free(p);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t p;
    pthread_create(&p, 0, f, 0);
    return 0;
}
