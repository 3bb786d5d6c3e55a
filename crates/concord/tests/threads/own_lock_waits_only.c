// assert VIOLATED
#include <pthread.h>
#include <assert.h>
void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int taken, x, seen;
void *f(void *a)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(taken == 0);
    taken = 1;
    __VERIFIER_atomic_end();
    x = 1;
    __VERIFIER_atomic_begin();
    taken = 0;
    __VERIFIER_atomic_end();
    return 0;
}
void *g(void *a)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(taken == 0);
    __VERIFIER_atomic_end();
    assert(x == 0);
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, g, 0);
    return 0;
}
