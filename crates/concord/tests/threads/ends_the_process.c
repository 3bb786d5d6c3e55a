// assert VIOLATED
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
int x;
void *f(void *a) { x = 1; exit(0); }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); assert(x == 0); return 0; }
