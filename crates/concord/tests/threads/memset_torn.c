// assert VIOLATED
#include <pthread.h>
#include <string.h>
#include <assert.h>
int A[2];
void *f(void *a) { memset(A, 1, 8); return 0; }
void *g(void *a) { int r = A[1]; assert(r == 0 || r == 0x01010101); return 0; }
int main(void){pthread_t p,q;pthread_create(&p,0,f,0);pthread_create(&q,0,g,0);pthread_join(p,0);pthread_join(q,0);return 0;}
