#include <assert.h>
static int a[40]; static int top;
static void walk(int n){ int i; for(i=0;i<2;i++) if(n>0) walk(n-1); a[top++ % 40]=n; }
int main(void){ walk(4); assert(a[30]!=4); }
