// assert VIOLATED
int x; void inc(void){ x++; x--; } int main(void){ __CPROVER_ASYNC_1: inc(); __CPROVER_assert(x==0,""); return 0;}
