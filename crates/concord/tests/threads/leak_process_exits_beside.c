// leak NOT-VIOLATED
#include <pthread.h>
#include <stdlib.h>
/* Nobody comes in between: but whether `exit` of another thread does is not told. */
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void *f(void *a)
{
    __VERIFIER_atomic_begin();
    free(malloc(4));
    __VERIFIER_atomic_end();
    return 0;
}
int main(void)
{
    pthread_t p;
    pthread_create(&p, 0, f, 0);
    exit(0);
}
