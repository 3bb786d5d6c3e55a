// assert VIOLATED
#include <pthread.h>
#include <assert.h>
int flag0, flag1, turn, x;
void *a(void *z){ turn=1; flag0=1; while(flag1==1 && turn==1); x=0; assert(x<=0); flag0=0; return 0; }
void *b(void *z){ flag1=1; turn=0; while(flag0==1 && turn==0); x=1; assert(x>=1); flag1=0; return 0; }
int main(void){ pthread_t p,q; pthread_create(&p,0,a,0); pthread_create(&q,0,b,0); pthread_join(p,0); pthread_join(q,0); return 0; }
