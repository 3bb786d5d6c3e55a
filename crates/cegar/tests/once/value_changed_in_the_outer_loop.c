// FAILS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int x = 0, n = __VERIFIER_nondet_int();
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++)
            if (x == 2 && i == 1) reach_error();
        x++;
    }
    return 0;
}
