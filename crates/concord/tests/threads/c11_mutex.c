// assert HOLDS
#include <threads.h>
#include <assert.h>
mtx_t m;
int x;
int f(void *a)
{
    mtx_lock(&m);
    x++;
    mtx_unlock(&m);
    return 7;
}
int main(void)
{
    thrd_t p, q;
    mtx_init(&m, mtx_plain);
    thrd_create(&p, f, 0);
    thrd_create(&q, f, 0);
    thrd_join(p, 0);
    thrd_join(q, 0);
    assert(x == 2);
    return 0;
}
