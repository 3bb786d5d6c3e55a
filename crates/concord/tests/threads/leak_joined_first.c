// leak HOLDS
#include <pthread.h>
#include <stdlib.h>
int x;
void *f(void *a)
{
    int *p = malloc(sizeof *p);
    x++;
    free(p);
    return 0;
}
int main(void)
{
    pthread_t p, q;
    pthread_create(&p, 0, f, 0);
    pthread_join(p, 0);
    pthread_create(&q, 0, f, 0);
    pthread_join(q, 0);
    return 0;
}
