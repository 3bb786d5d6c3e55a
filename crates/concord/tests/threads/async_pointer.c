// assert HOLDS
int g; int main(void){ int c=0; int *p=&g; __CPROVER_ASYNC_1: { for(int i=0;i<2;i++) c+=i; *p=c; } __CPROVER_assert(g==0||g==1,""); return 0; }
