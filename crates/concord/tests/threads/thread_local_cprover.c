// assert HOLDS
int __CPROVER_thread_local v; int g; void f(void){ v++; __CPROVER_assert(v==1,""); } int main(void){ __CPROVER_ASYNC_1: f(); __CPROVER_ASYNC_2: f(); f(); return 0;}
