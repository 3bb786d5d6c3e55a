#include <assert.h>
static int a[2000];
int main(void){ for(int i=0;i<2000;i++) a[i]=i; a[5]=77; assert(a[5]!=77); }
