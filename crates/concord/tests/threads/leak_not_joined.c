// leak VIOLATED
#include <pthread.h>
#include <assert.h>
#include <semaphore.h>
#include <string.h>
#include <stdlib.h>
void *f(void *a) { free(a); return 0; }
int main(void)
{
    pthread_t p;
    pthread_create(&p, 0, f, malloc(4));
    return 0;
}
