#include <assert.h>
int main(void){ int count=13, n=(count+3)/4, s=0; switch(count%4){ case 0: do { s++; case 3: s++; case 2: s++; case 1: s++; } while(--n>0);} assert(s!=13); }
