// VIOLATED
extern void *malloc(unsigned long);
extern void free(void *), exit(int), reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
extern int __VERIFIER_nondet_int(void);
static int input(void) { return __VERIFIER_nondet_int(); }
struct L{struct L*n;int v;};
struct B{int x; struct L l;}; int main(void){ struct L*h=0; while(input()){ struct B*b=malloc(sizeof*b); b->x=0; b->l.v=1; b->l.n=h; h=&b->l; } while(h){ struct L*t=h->n; free(h); h=t; } return 0; }
