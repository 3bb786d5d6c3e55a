// assert UNDECIDED
#include <pthread.h>
#include <assert.h>
int x, y, r, s;
void *f(void *a) { __atomic_store_n(&x, 1, __ATOMIC_RELAXED); r = __atomic_load_n(&y, __ATOMIC_RELAXED); return 0; }
void *g(void *a) { __atomic_store_n(&y, 1, __ATOMIC_RELAXED); s = __atomic_load_n(&x, __ATOMIC_RELAXED); return 0; }
int main(void) { pthread_t p, q; pthread_create(&p, 0, f, 0); pthread_create(&q, 0, g, 0); pthread_join(p, 0); pthread_join(q, 0); assert(r || s); return 0; }
