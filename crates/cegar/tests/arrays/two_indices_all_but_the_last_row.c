// FAILS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[300][200];
int main(void) {
    int seven = __VERIFIER_nondet_int(), i, j;
    for (i = 0; i < 299; i++)
        for (j = 0; j < 200; j++) a[i][j] = seven;
    for (i = 0; i < 300; i++)
        for (j = 0; j < 200; j++)
            if (a[i][j] != seven) reach_error();
    return 0;
}
