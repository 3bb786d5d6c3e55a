#include <assert.h>
#include <stdlib.h>
int main(void){ int *p = malloc(8); int c=0; if(p) { p[0]=1; c=1; } else c=2; free(p); p=0; if(!p && c==1) assert(0); }
