// VIOLATED
extern void *malloc(unsigned long);
extern void free(void *), exit(int), reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
extern int __VERIFIER_nondet_int(void);
static int input(void) { return __VERIFIER_nondet_int(); }
struct L{struct L*n;int v;};
static struct L*mk(int v){struct L*t=malloc(sizeof*t); if(!t) exit(0); t->v=v; t->n=0; return t;}
int main(void){ struct L*a[4]={0}; int i; while(input()){ i=input(); if(i<0||i>3) continue; if(!a[i]) a[i]=mk(i); } i=input(); if(i>=0&&i<4){ free(a[i]); } for(i=0;i<4;i++) if(a[i]) check(a[i]->v==i); return 0; }
