// assert HOLDS
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
struct { int p : 3, q : 5; } s;
void *f(void *a) { s.p = -2; assert(s.p == -2 || s.p == 0); return 0; }
void *g(void *a) { s.q = 9; assert(s.q == 9 || s.q == 0); return 0; }
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, f, (void *)0);
    pthread_create(&q, 0, g, (void *)1);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
