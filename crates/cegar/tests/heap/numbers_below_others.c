// HOLDS
extern int nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);
struct node { struct node *next; int stock, order; };
int main(void) {
    struct node *list = 0;
    while (nondet_int()) {
        int stock = nondet_int();
        if (stock < 0) continue;
        struct node *p = malloc(sizeof *p);
        p->stock = stock;
        p->order = 0;
        p->next = list;
        list = p;
    }
    struct node *i = list;
    while (i) {
        int order = nondet_int();
        if (order < 0 || i->stock < order) continue;
        i->order = order;
        i = i->next;
    }
    for (i = list; i; i = i->next)
        if (i->order > i->stock) reach_error();
    return 0;
}
