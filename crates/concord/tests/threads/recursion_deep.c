// assert UNDECIDED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
int x;
void down(int n) { if (n > 0) { x++; down(n - 1); } }
void *f(void *a) { down(9); return 0; }
int main(void)
{
    pthread_t p;
    pthread_create(&p, 0, f, 0);
    x = 0;
    pthread_join(p, 0);
    assert(x >= 0);
    return 0;
}
