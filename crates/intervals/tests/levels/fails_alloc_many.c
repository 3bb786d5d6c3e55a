#include <assert.h>
#include <stdlib.h>
struct n { struct n *next; int v; };
int main(void){ struct n *l=0; for(int i=0;i<100;i++){ struct n *e=malloc(sizeof *e); if(!e) return 0; e->v=i; e->next=l; l=e; } int s=0; while(l){ s+=l->v; struct n*x=l->next; free(l); l=x; } assert(s!=4950); }
