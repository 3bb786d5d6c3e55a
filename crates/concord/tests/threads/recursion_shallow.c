// assert VIOLATED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
int x;
void down(int n) { if (n > 0) { x++; down(n - 1); } }
void *f(void *a) { down(2); return 0; }
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, f, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(x == 4);
    return 0;
}
