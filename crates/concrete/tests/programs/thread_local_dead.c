#include <pthread.h>
static __thread int mine = 3;
static void *work(void *argument)
{
    mine++;
    return &mine;
}
int main(void)
{
    pthread_t t;
    void *p;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, &p);
    if (mine != 3)
        return 1;
    return *(int *)p; // UNDEFINED use-after-scope
}
