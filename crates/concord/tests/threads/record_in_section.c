// assert HOLDS
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
struct pair { int x, y; } s, one = { 1, 1 };
void *f(void *a) { __VERIFIER_atomic_begin(); s = one; __VERIFIER_atomic_end(); return 0; }
void *g(void *a)
{
    __VERIFIER_atomic_begin();
    struct pair r = s;
    __VERIFIER_atomic_end();
    assert(r.x == r.y);
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, f, (void *)0);
    pthread_create(&q, 0, g, (void *)1);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
