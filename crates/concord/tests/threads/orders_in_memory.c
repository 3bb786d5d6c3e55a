// assert VIOLATED --engine events
#include <assert.h>
#include <pthread.h>
/* What threads share is in memory: an array, indices, a pointer to a variable of another thread. */
int next[2], queue[3];
void *put(void *a)
{
    int at = next[0];
    queue[at] = *(int *)a;
    next[0] = at + 1;
    return 0;
}
int main(void)
{
    pthread_t p, q;
    int one = 1, two = 2;
    pthread_create(&p, 0, put, &one);
    pthread_create(&q, 0, put, &two);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(next[0] == 2);
    return 0;
}
