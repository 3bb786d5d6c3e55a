#include <assert.h>
#include <string.h>
int main(void){ char c[8]; memset(c,-1,8); assert(c[3]!=-1); }
