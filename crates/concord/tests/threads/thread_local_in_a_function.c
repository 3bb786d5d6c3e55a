// assert VIOLATED
#include <pthread.h>
#include <assert.h>
_Thread_local int v;
int count(void) { return ++v; }
void *f(void *a) { assert(count() == 2); return 0; }
int main(void) { pthread_t t; count(); pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }
