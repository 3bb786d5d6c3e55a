// VIOLATED
extern void *malloc(unsigned long);
extern void free(void *), exit(int), reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
extern int __VERIFIER_nondet_int(void);
static int input(void) { return __VERIFIER_nondet_int(); }
struct L{struct L*n;int v;};
struct D{struct D*n,*p;int v;};
int main(void){ struct D*h=0,*t; while(input()){ t=malloc(sizeof*t); t->v=1; t->n=h; t->p=0; if(h&&input()) h->p=t; h=t; }
 while(h){ if(h->n) check(h->n->p==h); h=h->n; } return 0; }
