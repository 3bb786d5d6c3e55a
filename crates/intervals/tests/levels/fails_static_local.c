#include <assert.h>
static int next(void){ static int n; return n++; }
int main(void){ int s=0; for(int i=0;i<400;i++) s+=next(); assert(s!=79800); }
