// assert HOLDS --engine events
#include <assert.h>
#include <pthread.h>
int i = 1, j = 1;
void *f(void *a)
{
    for (int k = 0; k < 3; k++) i += j;
    return 0;
}
void *g(void *a)
{
    for (int k = 0; k < 3; k++) j += i;
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, g, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(i <= 21 && j <= 21);
    return 0;
}
