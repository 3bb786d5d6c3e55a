// assert HOLDS --steps statement
#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>
atomic_int a; int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *w(void *p) { a += 1; pthread_mutex_lock(&m); x = x + 1; pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t s, t; pthread_create(&s, 0, w, 0); pthread_create(&t, 0, w, 0); pthread_join(t, 0); pthread_join(s, 0);
  assert(a == 2 && x == 2); return 0; }
