// use-after-free VIOLATED
#include <pthread.h>
/* Where `main` leaves by `pthread_exit`, its variables end, and other threads go on. */
void *f(void *a)
{
    *(int *)a = 1;
    return 0;
}
int main(void)
{
    int x = 0;
    pthread_t p;
    pthread_create(&p, 0, f, &x);
    pthread_detach(p);
    pthread_exit(0);
}
