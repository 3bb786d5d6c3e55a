// assert HOLDS
int x; void f(void){ x=1; __CPROVER_assume(0); x=2; } int main(void){ __CPROVER_ASYNC_1: f(); __CPROVER_assert(x!=2,""); return 0;}
