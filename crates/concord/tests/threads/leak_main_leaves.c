// leak VIOLATED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
#include <stdlib.h>
void *f(void *a) { malloc(4); return 0; }
int main(void)
{
    pthread_t p;
    pthread_create(&p, 0, f, 0);
    pthread_exit(0);
}
