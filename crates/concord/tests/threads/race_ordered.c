// race HOLDS
#include <pthread.h>
int x;
void *f(void *a) { x = 1; return 0; }
int main(void) { pthread_t t; x = 2; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return x; }
