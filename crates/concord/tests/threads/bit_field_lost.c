// assert VIOLATED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
struct { unsigned p : 3, q : 5; } s;
void *f(void *a) { s.p = 1; return 0; }
void *g(void *a) { s.q = 1; return 0; }
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, g, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(s.p == 1 && s.q == 1);
    return 0;
}
