#include <assert.h>
static int x,y; static int *g=&x;
static void set(int v){ *g=v; g = g==&x ? &y : &x; }
int main(void){ for(int i=1;i<=5;i++) set(i); assert(!(x==5 && y==4)); }
