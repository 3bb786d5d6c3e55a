// race HOLDS
#include <pthread.h>
_Atomic int x;
void *f(void *a) { x++; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 3; pthread_join(t, 0); return x; }
