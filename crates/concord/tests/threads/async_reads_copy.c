// assert VIOLATED
int g; int main(void){ int x=3; __CPROVER_ASYNC_1: { int y = x; y++; g=y; } __CPROVER_assert(g!=4,"x"); return 0;}
