// assert VIOLATED
#include <pthread.h>
#include <assert.h>
void *f(void *a){ (*(int*)a)++; return 0; }
int main(void){ int i=0; pthread_t t; pthread_create(&t,0,f,&i); i++; pthread_join(t,0); assert(i==2); return 0; }
