// race VIOLATED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
struct { int a, b; unsigned p : 3, q : 5, : 0, r : 4; } s;
void *f(void *a) { s.a = 1; s.p = 1; return 0; }
void *g(void *a) { s.b = 1; s.r = 1; s.q = 1; return 0; }
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, f, (void *)0);
    pthread_create(&q, 0, g, (void *)1);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
