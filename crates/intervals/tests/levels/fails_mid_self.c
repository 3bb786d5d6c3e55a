#include <assert.h>
int main(void){ int l=0,h=9; for(int k=0;k<4;k++){ if(l<h) l = l+(h-l)/2; } assert(l!=8); }
