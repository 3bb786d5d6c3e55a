#include <assert.h>
int main(void){ int d=3; int s=0; while(d>-3){ d--; if(d==0) continue; s+=6/d; } assert(s!=0+3+6-6-3-2); }
