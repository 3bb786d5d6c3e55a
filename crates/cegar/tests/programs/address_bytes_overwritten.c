// HOLDS
extern void reach_error(void);
static int x;
int main(void) {
    union { int *p; unsigned char b[8]; unsigned h[2]; } u;
    u.p = &x;
    u.h[0] = 5; u.h[1] = 6;
    if (u.b[0] != 5 || u.b[4] != 6 || u.b[1] != 0) reach_error();
    return 0;
}
