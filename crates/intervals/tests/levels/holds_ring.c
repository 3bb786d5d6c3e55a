/* A ring buffer on the heap, and a list. */
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct ring { int *data; unsigned size, head, count; };
struct node { int value; struct node *next; };
static struct ring *new_ring(unsigned size) {
    struct ring *r = malloc(sizeof *r);
    if (!r) return 0;
    r->data = malloc(size * sizeof *r->data);
    if (!r->data) { free(r); return 0; }
    r->size = size; r->head = r->count = 0;
    return r;
}
static int put(struct ring *r, int v) {
    if (r->count == r->size) return 0;
    r->data[(r->head + r->count++) % r->size] = v;
    return 1;
}
static int take(struct ring *r, int *v) {
    if (!r->count) return 0;
    *v = r->data[r->head];
    r->head = (r->head + 1) % r->size; r->count--;
    return 1;
}
int main(void) {
    struct ring *r = new_ring(8);
    if (!r) return 1;
    for (int i = 0; i < 12; i++) put(r, i);
    int v = 0, sum = 0;
    while (take(r, &v)) sum += v;
    assert(sum == 28);
    free(r->data); free(r);
    struct node *list = 0;
    for (int i = 0; i < 5; i++) {
        struct node *n = malloc(sizeof *n);
        if (!n) break;
        n->value = i; n->next = list; list = n;
    }
    while (list) { struct node *next = list->next; sum += list->value; free(list); list = next; }
    return sum;
}
