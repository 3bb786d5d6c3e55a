// assert HOLDS --function f --threads 2
int f(int n, int *p){ if (n > 5 && p) { *p = n; __CPROVER_assert(*p == n,""); } return n; }
