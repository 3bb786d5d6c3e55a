// deadlock HOLDS
#include <threads.h>
#include <assert.h>
mtx_t m;
int x;
int f(void *a)
{
    mtx_lock(&m);
    mtx_lock(&m);
    x++;
    mtx_unlock(&m);
    mtx_unlock(&m);
    return 0;
}
int main(void)
{
    thrd_t p;
    mtx_init(&m, mtx_plain | mtx_recursive);
    thrd_create(&p, f, 0);
    f(0);
    thrd_join(p, 0);
    return 0;
}
