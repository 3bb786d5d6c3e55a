/* A queue with room for four jobs: producers wait while it is full, consumers while it is empty. */
#include <assert.h>
#include <pthread.h>

#define ROOM 4

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
int jobs[ROOM];
unsigned first, count;

void *producer(void *unused) {
  pthread_mutex_lock(&lock);
  while (count == ROOM) pthread_cond_wait(&not_full, &lock);
  assert(count < ROOM);
  jobs[(first + count) % ROOM] = 1;
  count++;
  pthread_cond_signal(&not_empty);
  pthread_mutex_unlock(&lock);
  return 0;
}

void *consumer(void *unused) {
  pthread_mutex_lock(&lock);
  if (count == 0) /* the mistake: nobody looks again */ pthread_cond_wait(&not_empty, &lock);
  assert(count > 0);
  jobs[first] = 0;
  first = (first + 1) % ROOM;
  count--;
  pthread_cond_signal(&not_full);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t thread;
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) pthread_create(&thread, 0, producer, 0);
    else pthread_create(&thread, 0, consumer, 0);
  }
  return 0;
}
