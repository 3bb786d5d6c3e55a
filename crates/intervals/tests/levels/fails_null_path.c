#include <assert.h>
struct s { int a, b; };
int main(void){ struct s v={1,2}; struct s *p=0; int *q=&v.b; for(int i=0;i<3;i++){ if(p) q=&p->a; p=&v; } assert(q!=&v.a); }
