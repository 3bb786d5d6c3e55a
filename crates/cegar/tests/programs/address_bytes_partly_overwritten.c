// UNDECIDED!  the upper half is still an address: must never become HOLDS
extern void reach_error(void);
static int x;
int main(void) {
    union { int *p; unsigned char b[8]; unsigned h[2]; } u;
    u.p = &x;
    u.h[0] = 5;
    if (u.b[5] == 77) reach_error();
    return 0;
}
