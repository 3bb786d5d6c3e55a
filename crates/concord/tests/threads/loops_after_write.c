// assert VIOLATED
#include <pthread.h>
#include <assert.h>
int x;
void *f(void *a){ x=1; while(1); return 0; }
int main(void){ pthread_t p; pthread_create(&p,0,f,0); assert(x==0); return 0; }
