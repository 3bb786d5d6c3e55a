#include <assert.h>
int main(void){ double z=0.0; double n=z/z; int k=0; if(n<1.0) k=1; if(n>=1.0) k=2; if(n!=n) k+=4; assert(k!=4); }
