#include <assert.h>
int main(void){ int i,j,found=-1; for(i=0;i<50;i++){ for(j=0;j<50;j++){ if(i*j==1517){ found=i; goto out; } } } out: assert(found!=37 && found!=41); }
