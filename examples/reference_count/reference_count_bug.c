/* An object that is freed when the last reference to it is given back. */
#include <assert.h>
#include <limits.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

unsigned references = 1; /* that of `main` */
int is_freed;

/* The mistake: an object that was freed already is given out again. */
static int get(void) {
  int got = 0;
  __VERIFIER_atomic_begin();
  if (references != UINT_MAX) {
    references = references + 1;
    got = 1;
  }
  __VERIFIER_atomic_end();
  return got;
}

static void put(void) {
  __VERIFIER_atomic_begin();
  references = references - 1;
  if (references == 0) is_freed = 1;
  __VERIFIER_atomic_end();
}

void *user(void *unused) {
  if (!get()) return 0;
  assert(!is_freed);
  put();
  return 0;
}

int main(void) {
  pthread_t thread;
  while (__VERIFIER_nondet_int()) pthread_create(&thread, 0, user, 0);
  put();
  while (__VERIFIER_nondet_int()) pthread_create(&thread, 0, user, 0);
  return 0;
}
