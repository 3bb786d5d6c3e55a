// race VIOLATED
#include <pthread.h>
int x;
void *f(void *a) { x = 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int y = x; pthread_join(t, 0); return y; }
