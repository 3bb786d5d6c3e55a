#include <assert.h>
int main(void){ int i=0,s=0; goto in; while(i<10){ s+=100; in: s++; i++; } assert(s!=910); }
