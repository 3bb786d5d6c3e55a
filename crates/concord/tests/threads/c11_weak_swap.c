// assert VIOLATED
#include <threads.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x;
int g;
int f(void *a)
{
    int e = 0;
    if (!atomic_compare_exchange_weak(&x, &e, 1))
        g = 1;
    return 0;
}
int main(void)
{
    thrd_t p;
    thrd_create(&p, f, 0);
    thrd_join(p, 0);
    assert(g == 0);
    return 0;
}
