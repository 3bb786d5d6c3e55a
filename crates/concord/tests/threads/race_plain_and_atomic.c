// race VIOLATED
#include <pthread.h>
int x;
void *f(void *a) { __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 3; pthread_join(t, 0); return 0; }
