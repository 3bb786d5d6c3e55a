// HOLDS
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct node { int value; struct node *next; };
int main(void)
{
    struct node *list = 0;
    int count = 0, wanted = __VERIFIER_nondet_int();
    for (int i = 0; i < 4; i++) {
        if (i > wanted)
            continue;
        struct node *new = malloc(sizeof *new);
        new->value = i;
        new->next = list;
        list = new;
        count++;
    }
    while (list) {
        struct node *next = list->next;
        if (list->value != count - 1)
            reach_error();
        count--;
        free(list);
        list = next;
    }
    return 0;
}
