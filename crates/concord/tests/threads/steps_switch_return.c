// assert HOLDS --steps statement
#include <pthread.h>
#include <assert.h>
int x, y;
void *w(void *p) { switch (x + y) { case 1: assert(0); } return (void*)(long)(x - y); }
int main(void) { pthread_t t; void *r; pthread_create(&t,0,w,0); x = 1, y = -1; pthread_join(t,&r); assert((long)r == 0 || (long)r == 2); return 0; }
