// UNDECIDED!  a byte of an address in a global: must never become HOLDS
extern void reach_error(void);
static int x; static char kept;
static void keep(char c) { kept = c; }
int main(void) {
    int *p = &x; char *b = (char *)&p;
    keep(b[1]);
    if (kept == 77) reach_error();
    return 0;
}
