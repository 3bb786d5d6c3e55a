/* A ticket lock: whoever wants to get in takes a number and waits until it is served. */
#include <assert.h>
#include <limits.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

unsigned next_ticket, now_serving;
unsigned inside;

/* The mistake: to read the number and to move on to the next are two steps. */
static unsigned take(void) {
  unsigned ticket;
  ticket = next_ticket;
  if (ticket != UINT_MAX) next_ticket = ticket + 1;
  return ticket;
}

void *customer(void *unused) {
  unsigned mine = take();
  if (mine == UINT_MAX) return 0;
  while (now_serving != mine) {}
  inside = mine;
  assert(inside == mine);
  now_serving = mine + 1;
  return 0;
}

int main(void) {
  pthread_t thread;
  while (__VERIFIER_nondet_int()) pthread_create(&thread, 0, customer, 0);
  return 0;
}
