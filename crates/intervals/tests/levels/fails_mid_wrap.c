#include <assert.h>
int main(void){ unsigned l=4000000000u, h=4000000002u; if (l<h) { unsigned m=(l+h)/2; assert(m>=l); } }
