// FAILS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int x = 1, i = 0, n = __VERIFIER_nondet_int();
    if (n > 5) { x = 2; goto middle; }
    while (i < n) {
middle:
        i++;
        if (x == 2 && i > 6) reach_error();
    }
    return 0;
}
