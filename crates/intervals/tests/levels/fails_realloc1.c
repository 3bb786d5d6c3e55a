#include <assert.h>
#include <stdlib.h>
int main(void){ int n=1; int *p=malloc(4); if(!p) return 0; p[0]=7; for(int i=0;i<6;i++){ int *q=realloc(p,(n+1)*4); if(!q) return 0; p=q; p[n]=i; n++; } assert(p[0]!=7 || p[6]!=5); }
