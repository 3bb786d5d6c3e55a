// assert HOLDS
// What a thread is about to write is positive, whichever thread.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

int x = 1, y;

void *f(void *unused) {
  int own = __VERIFIER_nondet_int();
  if (own > 0) {
    y = own;
    x = own;
  }
  assert(x > 0);
  return 0;
}

int main(void) {
  pthread_t thread;
  while (__VERIFIER_nondet_int()) pthread_create(&thread, 0, f, 0);
  return 0;
}
