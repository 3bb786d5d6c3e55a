// race HOLDS
#include <pthread.h>
int a; void *w(void*p){ a=1; return 0;}
int main(void){pthread_t t; pthread_create(&t,0,w,0);
//@ assert a<=1;
pthread_join(t,0); return 0;}
