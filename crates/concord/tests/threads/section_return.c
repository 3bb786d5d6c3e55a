// assert HOLDS
int x; void f(void){ __CPROVER_atomic_begin(); x++; if (x==5) { __CPROVER_atomic_end(); return; } x--; __CPROVER_atomic_end(); } int main(void){ __CPROVER_ASYNC_1: f(); f(); __CPROVER_assert(x<2,""); return 0;}
