// deadlock VIOLATED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
#include <stdlib.h>
struct n { int k; pthread_mutex_t m; } *n;
void *f(void *a) { pthread_mutex_lock(&n->m); return 0; }
void *g(void *a) { pthread_mutex_lock(&n->m); pthread_mutex_unlock(&n->m); return 0; }
int main(void)
{
    pthread_t p, q;
    n = malloc(sizeof *n);
    pthread_mutex_init(&n->m, 0);
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, g, 0);
    return 0;
}
