#include <assert.h>
static int f(int n, int *p){ int l=n; if(n==0) return *p; return f(n-1,&l); }
int main(void){ int z=9; assert(f(5,&z)!=1); }
