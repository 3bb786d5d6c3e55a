// assert HOLDS
#include <pthread.h>
#include <assert.h>
void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int taken, x;
static void take(int *lock)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(*lock == 0);
    *lock = 1;
    __VERIFIER_atomic_end();
}
static void give(int *lock)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(*lock == 1);
    *lock = 0;
    __VERIFIER_atomic_end();
}
void *f(void *a)
{
    take(&taken);
    x++;
    assert(x == 1);
    x--;
    give(&taken);
    return 0;
}
int main(void)
{
    pthread_t p;
    for (;;)
        pthread_create(&p, 0, f, 0);
}
