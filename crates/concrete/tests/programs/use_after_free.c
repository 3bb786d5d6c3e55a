#include <stdlib.h>
struct node { int value; struct node *next; };
int main(void)
{
    struct node *list = 0;
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i;
        n->next = list;
        list = n;
    }
    for (struct node *n = list; n; n = n->next) // UNDEFINED use-after-free
        free(n);
    return 0;
}
// MESSAGE after it was freed
