// VIOLATED
extern void *malloc(unsigned long);
extern void free(void *), exit(int), reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
extern int __VERIFIER_nondet_int(void);
static int input(void) { return __VERIFIER_nondet_int(); }
struct L{struct L*n;int v;};
struct T{struct T*l,*r;int v;}; int main(void){ struct T*root=0,*c; while(input()){ struct T*t=malloc(sizeof*t); t->l=t->r=0; t->v=1; if(!root) root=t; else { c=root; while(1){ if(input()){ if(!c->l){c->l=t;break;} c=c->l; } else { if(!c->r){c->r=t;break;} c=c->r; } } } }
 if(root&&root->l) free(root->l); c=root; while(c){ check(c->v==1); c=input()?c->l:c->r; } return 0; }
