// assert VIOLATED
int g; int main(void){ int c=0; __CPROVER_ASYNC_1: { while(c<3) c++; __CPROVER_ASYNC_2: g=c; } __CPROVER_assert(g!=3,""); return 0; }
