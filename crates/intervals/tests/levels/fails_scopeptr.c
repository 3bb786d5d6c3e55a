#include <assert.h>
int main(void){ int *p=0; int s=0; for(int i=0;i<4;i++){ int l=i; if(p==&l) s++; p=&l; s+=*p; } assert(s<6); }
