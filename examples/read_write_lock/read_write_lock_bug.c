/* Two variables that are always changed together, under a read-write lock: two readers, two writers. */
#include <assert.h>
#include <pthread.h>

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
  pthread_rwlock_rdlock(&lock); /* the mistake: readers may be there at the same time */
  first = 1;
  second = 1;
  first = 0;
  second = 0;
  pthread_rwlock_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, reader, 0);
  pthread_create(&thread, 0, writer, 0);
  pthread_create(&thread, 0, reader, 0);
  pthread_create(&thread, 0, writer, 0);
  return 0;
}
