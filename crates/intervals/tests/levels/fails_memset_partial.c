#include <assert.h>
#include <string.h>
#include <stdlib.h>
int main(void){ int *p = malloc(16); if(!p) return 0; memset(p,0,16); ((char*)p)[5]=1; assert(p[1]==0); }
