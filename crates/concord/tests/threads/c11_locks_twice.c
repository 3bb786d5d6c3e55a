// deadlock VIOLATED
#include <threads.h>
mtx_t m;
int f(void *a)
{
    mtx_lock(&m);
    mtx_lock(&m);
    mtx_unlock(&m);
    return 0;
}
int main(void)
{
    thrd_t p;
    mtx_init(&m, mtx_plain);
    thrd_create(&p, f, 0);
    thrd_join(p, 0);
    return 0;
}
