// assert VIOLATED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
struct pair { int x, y; } s, one = { 1, 1 };
void *f(void *a) { s = one; return 0; }
void *g(void *a) { struct pair r = s; assert(r.x == r.y); return 0; }
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, f, (void *)0);
    pthread_create(&q, 0, g, (void *)1);
    pthread_join(p, 0);
    pthread_join(q, 0);
    return 0;
}
