/* Records of all shapes: layouts, copies, initialisers, bit-fields, unions, flexible arrays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma pack(push, 2)
struct squeezed { char c; int i; double d; };
#pragma pack(pop)
struct __attribute__((packed)) tight { char c; int i : 5; long long l; };
struct __attribute__((aligned(16))) wide { char c; };
typedef int loose __attribute__((aligned(1)));
struct holds_loose { char c; loose i; };
struct bits { unsigned a : 3; int b : 5; int : 0; unsigned long long c : 40; _Bool d : 1; signed char e : 4; };
struct outer { struct { int x, y; }; union { int i; unsigned char bytes[8]; struct { short lo, hi; } half; }; int last; };
struct flexible { int n; char data[]; };
union number { int i; float f; unsigned char bytes[4]; };

static struct outer table[3] = { [1] = { .x = 1, .y = -2, .bytes = "abc", .last = 9 }, { .half = { 3, 4 } } };
static struct bits some = { .a = 9, .b = -3, .c = 0xfedcba9876ull, .d = 2, .e = -8 };
static const char *const names[] = { "zero", "one\n\"two\"", "\x01\xff" "3", 0 };
static int *inside = &table[1].last, *before = (int *)&table[1] - 1;
static struct squeezed squeezed = { 'q', -7, 2.5 };
static struct { char text[4]; wchar_t wide[3]; } texts = { "abcd", L"xy" };

static struct outer twice(struct outer o) { o.x *= 2; o.last++; return o; }
static void sizes(void)
{
    printf("%d %d %d %d %d %d\n", (int)sizeof(struct squeezed), (int)sizeof(struct tight), (int)sizeof(struct wide),
           (int)sizeof(struct holds_loose), (int)sizeof(struct bits), (int)sizeof(struct outer));
}

int main(void)
{
    sizes();
    struct outer copy = twice(table[1]), again;
    again = copy;
    printf("%d %d %d %d %d %c\n", again.x, again.y, again.i, again.last, *inside, again.bytes[1]);
    some.b += 20;
    some.e++;
    printf("%u %d %llu %d %d\n", some.a, some.b, (unsigned long long)some.c, some.d, some.e);
    struct flexible *f = malloc(sizeof *f + 6);
    f->n = 5;
    strcpy(f->data, "hello");
    printf("%d %s %s %d\n", f->n, f->data, names[1], names[3] == 0);
    union number n = { .f = 1.5f };
    printf("%x %d\n", n.i, n.bytes[3]);
    struct tight t = { 1, -9, -1 }, *pt = &t;
    pt->i -= 1;
    printf("%d %d %lld %d\n", t.c, t.i, t.l, before == &table[0].last);
    struct outer local[2] = { { .last = 5 }, { { 1, 2 }, { 3 } } };
    local[0] = local[1];
    struct squeezed list[] = { squeezed, { .d = 1e300 } };
    memcpy(&list[0], &list[1], sizeof list[0]);
    printf("%d %d %g %.4s %d\n", local[0].y, local[0].last, list[0].d, texts.text, (int)texts.wide[1]);
    struct wide *w = &(struct wide){ 7 };
    printf("%d %d\n", w->c, (int)((unsigned long)w % 16));
    free(f);
    return (int)sizeof(struct bits) + local[1].i;
}
