// assert VIOLATED --function f --threads 3 --globals initialised
int x; void f(void){ int t = x; t++; x = t; __CPROVER_assert(x<=2,""); }
