/* Pointers every way: lists, trees, tables of functions, bytes, integers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list { struct list *next, *previous; };
struct item { int value; struct list link; const char *name; };
#define ITEM(pointer) ((struct item *)((char *)(pointer) - offsetof(struct item, link)))
#include <stddef.h>
struct tree { struct tree *child[2]; int key; };
struct shape { const struct methods *methods; int a, b; };
struct methods { int (*area)(const struct shape *); const char *name; };

static struct list head = { &head, &head };
static struct tree *root;
static int g, h;
static int *targets[4] = { &g, &h, 0, &g };

static void push(struct item *item)
{
    item->link.next = head.next;
    item->link.previous = &head;
    head.next->previous = &item->link;
    head.next = &item->link;
}
static void insert(struct tree **at, int key)
{
    while (*at)
        at = &(*at)->child[(*at)->key < key];
    *at = calloc(1, sizeof **at);
    (*at)->key = key;
}
static int depth(const struct tree *t)
{
    if (!t)
        return 0;
    int left = depth(t->child[0]), right = depth(t->child[1]);
    return 1 + (left > right ? left : right);
}
static int square(const struct shape *s) { return s->a * s->a; }
static int rectangle(const struct shape *s) { return s->a * s->b; }
static const struct methods squares = { square, "square" }, rectangles = { rectangle, "rectangle" };

static void copy_bytes(void *to, const void *from, size_t size)
{
    char *t = to;
    const char *f = from;
    while (size--)
        *t++ = *f++;
}
static void swap(int **a, int **b) { int *t = *a; *a = *b; *b = t; }
static struct item *pick(struct item *a, struct item *b, int which) { return which ? a : b; }

int main(void)
{
    struct item items[3], single = { 4, { 0, 0 }, "single" };
    for (int i = 0; i < 3; i++) {
        items[i].value = i;
        items[i].name = i ? "other" : "first";
        push(&items[i]);
    }
    push(&single);
    int sum = 0;
    for (struct list *l = head.next; l != &head; l = l->next)
        sum = sum * 10 + ITEM(l)->value;
    pick(items, &single, sum & 1)->value = 77;
    for (int i = 0; i < 8; i++)
        insert(&root, i * 5 % 8);
    struct shape shapes[] = { { &squares, 3, 0 }, { &rectangles, 3, 4 } };
    int area = 0;
    for (unsigned i = 0; i < 2; i++)
        area += shapes[i].methods->area(&shapes[i]) * (shapes[i].methods->name[0] == 's' ? 100 : 1);
    int *p = &g, *q = &h, *r;
    swap(&p, &q);
    *p = 1;
    *q = 2;
    copy_bytes(&r, &p, sizeof r);
    *r += 10;
    uintptr_t bits = (uintptr_t)q;
    int *back = (int *)(bits ^ 1 ^ 1);
    *back += 20;
    *targets[2 + (sum > 0)] += 100;
    struct item moved;
    memcpy(&moved, &items[1], sizeof moved);
    *(char *)&moved.value = 3;
    struct tree **children = root->child;
    children[1]->key += 1;
    int **grown = malloc(2 * sizeof *grown);
    grown[0] = &moved.value;
    grown = realloc(grown, 8 * sizeof *grown);
    grown[5] = grown[0];
    *grown[5] += 1;
    printf("%d %d %d %d %d %d %s %d\n", sum, depth(root), area, g, h, moved.value, moved.name, items[0].value);
    free(grown);
    return 0;
}
