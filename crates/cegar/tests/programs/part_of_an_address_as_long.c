// UNDECIDED!  a long that overlaps an address in part: must never become HOLDS
extern void *memset(void *, int, unsigned long);
extern void *memcpy(void *, const void *, unsigned long);
typedef unsigned long uint64_t;
extern void reach_error(void);
static int x;
int main(void) {
    char b[24]; int *p = &x; memset(b, 0, 24);
    memcpy(b + 4, &p, 8);
    uint64_t v; memcpy(&v, b, 8);
    if (v == 0) reach_error();
    return 0;
}
