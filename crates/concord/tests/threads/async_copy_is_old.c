// assert HOLDS
int g; int main(void){ int x=3; __CPROVER_ASYNC_1: { g=x; } x=7; __CPROVER_assert(g==0||g==3,"x"); return 0;}
