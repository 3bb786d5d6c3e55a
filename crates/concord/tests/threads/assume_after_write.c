// assert VIOLATED
int x; void f(void){ x=1; __CPROVER_assume(x==5); } int main(void){ __CPROVER_ASYNC_1: f(); __CPROVER_assert(x!=1,""); return 0;}
