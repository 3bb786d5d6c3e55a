// VIOLATED
extern void *malloc(unsigned long);
extern void free(void *), exit(int), reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
extern int __VERIFIER_nondet_int(void);
static int input(void) { return __VERIFIER_nondet_int(); }
struct L{struct L*n;int v;};
int main(void){ struct L*h=0,*t; while(input()){ t=malloc(sizeof*t); t->v=1; t->n=h; h=t; }
 if(h) free(h); while(h){ check(h->v==1); h=h->n;} return 0; }
