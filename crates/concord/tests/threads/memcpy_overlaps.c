// pointer VIOLATED
#include <pthread.h>
#include <string.h>
char A[8];
void *f(void *a)
{
    memcpy(A, A + 2, 4);
    return 0;
}
int main(void)
{
    pthread_t p;
    pthread_create(&p, 0, f, 0);
    A[3] = 1;
    pthread_join(p, 0);
    return 0;
}
