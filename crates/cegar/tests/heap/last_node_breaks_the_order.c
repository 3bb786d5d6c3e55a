// VIOLATED
extern void *malloc(unsigned long);
extern void free(void *), exit(int), reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
extern int __VERIFIER_nondet_int(void);
static int input(void) { return __VERIFIER_nondet_int(); }
struct L{struct L*n;int v;};
static struct L*mk(int v){struct L*t=malloc(sizeof*t); if(!t) exit(0); t->v=v; t->n=0; return t;}
int main(void){ struct L*h=0,*t; int v=0; while(input()){ if(v<1000) v++; t=mk(v); t->n=h; h=t; } if(h){ t=mk(h->v-1); t->n=h; h=t; }
 while(h&&h->n){ check(h->v>=h->n->v); h=h->n; } return 0; }
