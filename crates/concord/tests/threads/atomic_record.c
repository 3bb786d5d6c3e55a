// assert NOT-VIOLATED
#include <pthread.h>
#include <assert.h>
/* An atomic record is stored and loaded as a whole. */
struct pair {
    int a, b;
};
_Atomic struct pair s;
void *f(void *x)
{
    struct pair own = {1, 1};
    s = own;
    return 0;
}
void *g(void *x)
{
    struct pair own = s;
    assert(own.a == own.b);
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, g, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
