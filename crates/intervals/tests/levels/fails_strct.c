#include <assert.h>
#include <string.h>
struct s { char n[8]; int v; };
int main(void){ struct s a, b; memset(&a,0,sizeof a); strcpy(a.n,"hi"); a.v=3; b=a; a.v=4; b.n[0]='x'; assert(a.n[0]!='h' || b.v!=3 || b.n[1]!='i'); }
