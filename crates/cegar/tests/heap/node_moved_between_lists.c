// VIOLATED
extern void *malloc(unsigned long);
extern void free(void *), exit(int), reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
extern int __VERIFIER_nondet_int(void);
static int input(void) { return __VERIFIER_nondet_int(); }
struct L{struct L*n;int v;};
static struct L*mk(int v){struct L*t=malloc(sizeof*t); if(!t) exit(0); t->v=v; t->n=0; return t;}
int main(void){ struct L*a=0,*b=0,*t; while(input()){ t=mk(0); if(input()){t->v=1;t->n=a;a=t;} else {t->v=2;t->n=b;b=t;} }
 if(b){ t=b; b=b->n; t->n=a; a=t; } while(a){ check(a->v==1); a=a->n; } return 0; }
