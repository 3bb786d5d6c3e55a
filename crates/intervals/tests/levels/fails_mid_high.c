#include <assert.h>
int main(void){ int l=0,h=9; while(l<h){ h = (l+h)/2; } assert(h!=0); }
