// VIOLATED
extern void *malloc(unsigned long);
extern void free(void *), exit(int), reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
extern int __VERIFIER_nondet_int(void);
static int input(void) { return __VERIFIER_nondet_int(); }
struct L{struct L*n;int v;};
struct D{struct D*n,*p;int v;};
int main(void){ struct D*h=0,*t; while(input()){ t=malloc(sizeof*t); t->v=1; t->n=h; t->p=0; if(h) h->p=t; h=t; }
 if(h&&h->n){ t=h; h=h->n; free(t); } if(h&&h->p) check(h->p->v==1); return 0; }
