// UNDECIDED!  copied byte by byte, then looked at: must never become HOLDS
extern void *memset(void *, int, unsigned long);
extern void reach_error(void);
static int x;
int main(void) {
    int *from = &x; char to[16];
    memset(to, 0, 16);
    for (unsigned i = 0; i < sizeof from; i++) to[i + 4] = ((char *)&from)[i];
    if (to[5] == 77) reach_error();
    return 0;
}
