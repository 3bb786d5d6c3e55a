// HOLDS
extern int nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);
struct node { int h; struct node *n; };
int main(void) {
    struct node *a = 0, *p, *t;
    while (nondet_int()) { t = malloc(sizeof *t); t->h = 3; t->n = a; if (a) t->h = a->h == 3 ? 2 : 1 + (a->h == 2 && nondet_int()); a = t; }
    if (!a) return 0;
    p = a;
    while (p->h == 1) p = p->n;
    while (p->h == 2) p = p->n;
    if (p->h != 3) reach_error();
    return 0;
}
