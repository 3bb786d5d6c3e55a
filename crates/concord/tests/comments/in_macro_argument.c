// HOLDS unread
#include <assert.h>
int main(void){int x=1;
assert(x /* hm */ > 0);
//@ assert 0;
return 0;}
