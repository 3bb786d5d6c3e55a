// race VIOLATED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
int A[2];
void *f(void *a) { memset(A, 0, 8); return 0; }
void *g(void *a) { A[1] = 1; return 0; }
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, f, (void *)0);
    pthread_create(&q, 0, g, (void *)1);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
