// assert VIOLATED
#include <pthread.h>
#include <assert.h>
void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int taken, x;
void *f(void *a)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(taken == 0);
    taken = 1;
    __VERIFIER_atomic_end();
    x++;
    assert(x == 1);
    x--;
    __VERIFIER_atomic_begin();
    taken = 0;
    __VERIFIER_atomic_end();
    return 0;
}
void *g(void *a)
{
    __VERIFIER_atomic_begin();
    taken = 0;
    __VERIFIER_atomic_end();
    return 0;
}
int main(void)
{
    pthread_t p, q, r;
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, f, 0);
    pthread_create(&r, 0, g, 0);
    return 0;
}
