// VIOLATED
extern void *malloc(unsigned long);
extern void free(void *), exit(int), reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
extern int __VERIFIER_nondet_int(void);
static int input(void) { return __VERIFIER_nondet_int(); }
struct L{struct L*n;int v;};
static struct L*mk(int v){struct L*t=malloc(sizeof*t); if(!t) exit(0); t->v=v; t->n=0; return t;}
struct L*g; static void push(int v){ struct L*t=mk(v); t->n=g; g=t; } int main(void){ while(input()) push(1); push(2); while(input()) push(1); while(g){ check(g->v==1); g=g->n; } return 0; }
