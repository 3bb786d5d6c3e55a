// VIOLATED
extern void *malloc(unsigned long);
extern void free(void *), exit(int), reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
extern int __VERIFIER_nondet_int(void);
static int input(void) { return __VERIFIER_nondet_int(); }
struct L{struct L*n;int v;};
static struct L*mk(int v){struct L*t=malloc(sizeof*t); if(!t) exit(0); t->v=v; t->n=0; return t;}
int main(void){ struct L*h=0,*t,*c,*pr; while(input()){ t=mk(input()); t->n=h; h=t; }
 pr=0; c=h; while(c){ struct L*nx=c->n; if(c->v==0){ if(pr) pr->n=nx; free(c); } else pr=c; c=nx; }
 c=h; while(c){ check(c->v!=0); c=c->n; } return 0; }
