// assert HOLDS --steps statement
#include <pthread.h>
#include <assert.h>
int x, y;
void *w(void *p) { x = ({ int i = 0; while (i < 2) { i++; y++; } x + i; }); return 0; }
int main(void) { pthread_t s, t; pthread_create(&t,0,w,0); pthread_create(&s,0,w,0); pthread_join(t,0); pthread_join(s,0); assert(x==4); assert(y==4); return 0; }
