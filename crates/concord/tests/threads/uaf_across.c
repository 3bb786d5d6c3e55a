// use-after-free VIOLATED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
#include <stdlib.h>
int *p;
void *f(void *a) { free(p); return 0; }
void *g(void *a) { *p = 1; return 0; }
int main(void)
{
    pthread_t t, u;
    p = malloc(4);
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, g, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
