#include <assert.h>
static int depth;
static void g(int n); 
static void f(int n){ depth++; if(n>0) g(n-1); }
static void g(int n){ if(n>0) f(n-1); depth+=10; }
int main(void){ f(20); assert(depth < 50); }
