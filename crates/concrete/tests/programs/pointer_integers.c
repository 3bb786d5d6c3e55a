#include <stdint.h>
#include <stdio.h>
#include <string.h>
struct node { struct node *next; int value; };
int main(void)
{
    int a[4] = {1, 2, 3, 4};
    uintptr_t u = (uintptr_t)&a[1];
    int *p = (int *)(u + 2 * sizeof(int));
    uintptr_t tagged = (uintptr_t)&a[2] | 1;
    int *q = (int *)(tagged & ~(uintptr_t)1);
    unsigned char bytes[sizeof p];
    memcpy(bytes, &p, sizeof p);
    int *r;
    for (unsigned i = 0; i < sizeof r; i++)
        ((unsigned char *)&r)[i] = bytes[i];
    struct node n = {0, 7}, m = {&n, 8};
    struct node copy = m;
    uintptr_t x = (uintptr_t)&n ^ (uintptr_t)&m;
    struct node *other = (struct node *)(x ^ (uintptr_t)&m);
    int (*f)(const char *) = (int (*)(const char *))(uintptr_t)puts;
    f("called");
    printf("%d %d %d %d %d %td\n", *p, *q, *r, copy.next->value, other->value, (char *)p - (char *)a);
    return !(r == p && &a[4] == a + 4);
}
// GCC
