#include <assert.h>
int main(void){ int m[5][7]; for(int i=0;i<5;i++) for(int j=0;j<7;j++) m[i][j]=i*7+j; int s=0; for(int i=0;i<5;i++) s+=m[i][6-i]; assert(s!=90); }
