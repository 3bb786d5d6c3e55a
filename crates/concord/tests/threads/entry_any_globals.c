// assert VIOLATED --function f --threads 1
int x; void f(void){ int t = x; t++; x = t; __CPROVER_assert(x<=2,""); }
