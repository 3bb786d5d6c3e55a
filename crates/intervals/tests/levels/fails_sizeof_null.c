#include <assert.h>
#include <stddef.h>
struct s { int a, b; };
int main(void){ struct s *p=0; int n=sizeof(p->b)+ (int)offsetof(struct s,b); assert(n!=8); }
