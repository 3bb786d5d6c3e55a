// FAILS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    unsigned x[3], narrow = 0;
    unsigned long wide = 0;
    for (int i = 0; i < 3; i++) x[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < 3; i++) { wide += x[i]; narrow += x[2 - i]; }
    if (wide != narrow) reach_error();
    return 0;
}
