// VIOLATED
extern void *malloc(unsigned long), *realloc(void *, unsigned long);
extern void free(void *), exit(int), reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
extern int __VERIFIER_nondet_int(void);
static int input(void) { return __VERIFIER_nondet_int(); }
struct L{struct L*n;int v;};
static struct L*mk(int v){struct L*t=malloc(sizeof*t); if(!t) exit(0); t->v=v; t->n=0; return t;}
int main(void){ struct L*h=0,*t; while(input()){ t=mk(1); t->n=h; h=t; } if(h&&h->n){ t=realloc(h->n,sizeof*t); } while(h){ check(h->v==1); h=h->n;} return 0; }
