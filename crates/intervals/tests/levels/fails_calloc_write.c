#include <assert.h>
#include <stdlib.h>
struct n { struct n *next; int v; };
int main(void){ struct n *a = calloc(2,sizeof *a); if(!a) return 0; a[1].v=4; a[0].next=&a[1]; assert(a[0].next==0 || a[0].next->v==0); }
