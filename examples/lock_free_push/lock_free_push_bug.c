/* The push of a lock-free stack. Nodes are numbers; 0 is no node. */
#include <assert.h>
#include <pthread.h>

#define NODES 32

int __VERIFIER_nondet_int(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

unsigned next[NODES + 1];
unsigned top, used;

/* The mistake: two threads can get the same node. */
static unsigned new_node(void) {
  unsigned node = 0;
  if (used < NODES) {
    node = used + 1;
    used = node;
  }
  return node;
}

/* Compare and swap. */
static int swap_top(unsigned from, unsigned to) {
  int done = 0;
  __VERIFIER_atomic_begin();
  if (top == from) {
    top = to;
    done = 1;
  }
  __VERIFIER_atomic_end();
  return done;
}

void *pusher(void *unused) {
  unsigned mine = new_node();
  if (mine == 0) return 0;
  unsigned old;
  do {
    old = top;
    assert(old != mine); /* no node is its own next one */
    next[mine] = old;
  } while (!swap_top(old, mine));
  assert(top != 0);
  return 0;
}

int main(void) {
  pthread_t thread;
  while (__VERIFIER_nondet_int()) pthread_create(&thread, 0, pusher, 0);
  return 0;
}
