// UNDECIDED!  a long read from an address: must never become HOLDS
extern void *memcpy(void *, const void *, unsigned long);
typedef unsigned long uint64_t;
extern void reach_error(void);
static int x;
int main(void) {
    int *p = &x; uint64_t v, w; memcpy(&v, &p, 8); w = v;
    if (w % 4096 == 77) reach_error();
    return 0;
}
