// assert VIOLATED
#include <pthread.h>
#include <string.h>
#include <assert.h>
char a[4], b[4] = "xyz";
void copy(void) { memcpy(a, b, 4); }
void *f(void *p) { copy(); return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  char one = a[0], two = a[0];
  assert(one == two);
  pthread_join(t, 0);
  return 0;
}
