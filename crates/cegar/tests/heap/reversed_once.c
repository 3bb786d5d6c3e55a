// VIOLATED
extern void *malloc(unsigned long);
extern void free(void *), exit(int), reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
extern int __VERIFIER_nondet_int(void);
static int input(void) { return __VERIFIER_nondet_int(); }
struct L{struct L*n;int v;};
static struct L*mk(int v){struct L*t=malloc(sizeof*t); if(!t) exit(0); t->v=v; t->n=0; return t;}
int main(void){ struct L*h=0,*r=0,*t; int v=0; while(input()){ if(v>100) break; v++; t=mk(v); t->n=h; h=t; } while(h){ t=h->n; h->n=r; r=h; h=t; }
 while(r&&r->n){ check(r->v>r->n->v); r=r->n; } return 0; }
