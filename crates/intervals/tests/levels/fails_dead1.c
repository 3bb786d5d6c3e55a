#include <assert.h>
int main(void){ int a=0,b=0; for(int i=0;i<12;i++){ int t; if(i%3==0){t=a;} else {t=b+1;} if(i&1) a=t; else b=t; } assert(a+b!=8 && a+b != 9 && a+b!=7 && a+b!=6 && a+b!=10 && a+b!=11); }
