// HOLDS
#include <assert.h>
#include <stddef.h>
#define N 5
int main(void){int x=5; int *p = &x;
//@ assert (x == N && p != NULL); assert (x);
assert(x);return 0;}
