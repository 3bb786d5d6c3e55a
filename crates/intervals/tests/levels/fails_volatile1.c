#include <assert.h>
volatile int v; 
int main(void){ v = 1; int s=0; for(int i=0;i<5;i++){ if(v) s++; } assert(s!=5); }
