// VIOLATED
extern void *malloc(unsigned long);
extern void free(void *), exit(int), reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
extern int __VERIFIER_nondet_int(void);
static int input(void) { return __VERIFIER_nondet_int(); }
struct L{struct L*n;int v;};
static struct L*mk(int v){struct L*t=malloc(sizeof*t); if(!t) exit(0); t->v=v; t->n=0; return t;}
struct O{struct O*n; struct L*in;}; int main(void){ struct O*o=0,*q; struct L*s=0,*t; while(input()){ q=malloc(sizeof*q); if(!s||input()){ s=mk(1);} q->in=s; q->n=o; o=q; }
 while(o){ free(o->in); q=o->n; free(o); o=q; } return 0; }
