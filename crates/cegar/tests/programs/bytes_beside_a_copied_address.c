// HOLDS
extern void *memset(void *, int, unsigned long);
extern void *memcpy(void *, const void *, unsigned long);
extern void reach_error(void);
static int x;
int main(void) {
    int *from = &x; char to[16];
    memset(to, 0, 16);
    for (unsigned i = 0; i < sizeof from; i++) to[i + 4] = ((char *)&from)[i];
    if (to[3] != 0 || to[12] != 0) reach_error();
    int *back; memcpy(&back, to + 4, sizeof back);
    if (back != &x) reach_error();
    return 0;
}
