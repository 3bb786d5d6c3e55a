#include <assert.h>
int main(void){ unsigned char i=250; int n=0; while(i>=250){ i++; n++; } assert(n!=6||i!=0); }
