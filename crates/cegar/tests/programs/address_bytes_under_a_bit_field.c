// UNDECIDED!  a bit-field overwrites one bit of an address: must never become HOLDS
extern void reach_error(void);
static int x;
int main(void) {
    union { int *p; struct { unsigned a : 1; unsigned c : 7; unsigned d : 24; } f; } u;
    u.p = &x;
    u.f.a = 1;
    if (u.f.c == 77) reach_error();
    return 0;
}
