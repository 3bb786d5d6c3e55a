// assert HOLDS --function f --threads 2
struct s {int a; int c;}; int g; void f(struct s *p){ if (p) { p->a=1; g=2; __CPROVER_assert(p->a==1,""); } }
