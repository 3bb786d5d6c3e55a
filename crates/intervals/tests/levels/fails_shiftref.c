#include <assert.h>
int main(void){ unsigned x=1; int n=0; for(int i=0;i<40;i++){ if(i<32) x = 1u<<i; n+= x>>31; } assert(n!=9); }
