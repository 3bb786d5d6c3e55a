// assert VIOLATED
int x; void f(void){ __CPROVER_atomic_begin(); x++; goto out; out: __CPROVER_atomic_end(); x--; } int main(void){ __CPROVER_ASYNC_1: f(); __CPROVER_assert(x==0,""); return 0;}
