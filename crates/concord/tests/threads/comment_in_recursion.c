// assert HOLDS
#include <pthread.h>
int x;
int depth(int n) {
  //@ assert n >= 0;
  return n == 0 ? 0 : 1 + depth(n - 1);
}
void *f(void *a) { x = 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int d = depth(3);
  //@ assert d == 3 && x <= 1;
  pthread_join(t, 0); return 0; }
