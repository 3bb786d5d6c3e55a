// assert VIOLATED
#include <pthread.h>
#include <assert.h>
extern void __VERIFIER_assume(int);
int x;
void stop(void) { __VERIFIER_assume(0); }
void *f(void *a) { x = 1; stop(); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); assert(x == 0); return 0; }
