// assert HOLDS
int x; void __VERIFIER_atomic_inc(void){ x++; x--; } int main(void){ __CPROVER_ASYNC_1: __VERIFIER_atomic_inc(); __CPROVER_assert(x==0,""); return 0;}
