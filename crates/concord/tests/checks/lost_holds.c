// lost HOLDS
#include <stdlib.h>
struct node { struct node *next; int value; };
extern int __VERIFIER_nondet_int(void);
static struct node *kept;
int main(void)
{
    struct node *list = malloc(sizeof *list);
    list->next = malloc(sizeof *list);
    list->next->next = 0;
    kept = list;
    if (__VERIFIER_nondet_int() == 5) {
        struct node *local = malloc(sizeof *local);
        local->next = 0;
        abort();
    }
    return 0;
}
