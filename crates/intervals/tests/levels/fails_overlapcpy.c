#include <assert.h>
#include <string.h>
int main(void){ char a[10]="abcdefghi"; memmove(a+2,a,5); assert(a[4]!='c'); }
