// HOLDS
extern void reach_error(void);
int main(void) {
    union { int *p; unsigned char b[8]; } u;
    u.p = 0;
    if (u.b[1] == 77) reach_error();
    return 0;
}
