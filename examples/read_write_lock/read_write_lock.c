/* Two variables that are always changed together, under a read-write lock. */
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int first, second;

void *reader(void *unused) {
  pthread_rwlock_rdlock(&lock);
  int one = first;
  int other = second;
  assert(one == other);
  pthread_rwlock_unlock(&lock);
  return 0;
}

void *writer(void *unused) {
  int value = __VERIFIER_nondet_int();
  pthread_rwlock_wrlock(&lock);
  first = value;
  second = value;
  pthread_rwlock_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t thread;
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) pthread_create(&thread, 0, reader, 0);
    else pthread_create(&thread, 0, writer, 0);
  }
  return 0;
}
