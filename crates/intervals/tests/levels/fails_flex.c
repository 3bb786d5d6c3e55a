#include <assert.h>
#include <stdlib.h>
struct s { int n; int d[]; };
int main(void){ struct s *p=malloc(sizeof *p + 10*sizeof(int)); if(!p) return 0; p->n=10; for(int i=0;i<p->n;i++) p->d[i]=i; assert(p->d[9]!=9); }
