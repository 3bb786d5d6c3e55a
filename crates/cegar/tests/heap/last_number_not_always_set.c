// VIOLATED
extern int nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);
struct node { int h; struct node *n; };
int main(void) {
    struct node *a = malloc(sizeof *a), *p = a;
    while (nondet_int()) {
        p->h = 1;
        p->n = malloc(sizeof *p);
        p = p->n;
    }
    while (nondet_int()) {
        p->h = 2;
        p->n = malloc(sizeof *p);
        p = p->n;
    }
    if (nondet_int()) p->h = 3; else p->h = 4;
    p = a;
    while (p->h == 1) p = p->n;
    while (p->h == 2) p = p->n;
    if (p->h != 3) reach_error();
    return 0;
}
