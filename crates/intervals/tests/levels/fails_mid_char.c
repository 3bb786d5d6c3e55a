#include <assert.h>
int main(void){ int l=100,h=200; if(l<h){ signed char m = l+(h-l)/2; assert(m>=l); } }
