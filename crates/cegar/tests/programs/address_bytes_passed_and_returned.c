// UNDECIDED!  a byte of an address goes through a call: must never become HOLDS
extern void reach_error(void);
static int x;
static char same(char c) { return c; }
int main(void) {
    int *p = &x; char *b = (char *)&p;
    char c = same(b[1]);
    if (c == 77) reach_error();
    return 0;
}
