// assert HOLDS
int g; int main(void){ int x=3; __CPROVER_ASYNC_1: { x=4; g=x; } __CPROVER_assert(x==3,"x"); return 0;}
