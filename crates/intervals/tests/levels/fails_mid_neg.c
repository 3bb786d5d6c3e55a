#include <assert.h>
int main(void){ int l=-3,h=-2; if(l<h){ int m=(l+h)/2; assert(m<h); } }
