// assert VIOLATED
#include <pthread.h>
#include <string.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
char a[4], b[4];
int x;
void *f(void *p) { pthread_mutex_lock(&m); memcpy(a, b, 4); pthread_mutex_unlock(&m); x++; return 0; }
int main(void) {
  pthread_t p, q;
  pthread_create(&p, 0, f, 0);
  pthread_create(&q, 0, f, 0);
  pthread_join(p, 0);
  pthread_join(q, 0);
  assert(x == 2);
  return 0;
}
