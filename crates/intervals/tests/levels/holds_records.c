/* Structures in an array: a small inventory. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct item { int id; int count; const char *name; struct { int low, high; } limit; };
static struct item items[20];
static int used;
static struct item *add(int id, const char *name, int low, int high) {
    if (used >= 20) return 0;
    struct item *it = &items[used++];
    it->id = id; it->name = name; it->count = low;
    it->limit.low = low; it->limit.high = high;
    return it;
}
static struct item *find(int id) {
    for (int i = 0; i < used; i++) if (items[i].id == id) return &items[i];
    return 0;
}
int main(void) {
    for (int i = 0; i < 10; i++) { struct item *it = add(i * 7, "thing", i, 2 * i + 10); it->count++; }
    int wanted = __VERIFIER_nondet_int();
    struct item *it = find(wanted);
    if (!it) return 0;
    int more = __VERIFIER_nondet_int();
    if (more < 0 || more > it->limit.high - it->count) return 1;
    it->count += more;
    assert(it->count <= it->limit.high);
    return it->name[0];
}
