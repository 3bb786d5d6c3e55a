// FAILS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[300][200];
int main(void) {
    int i, j, k = __VERIFIER_nondet_int();
    for (i = 0; i < 300; i++)
        for (j = 0; j < 200; j++) a[i][j] = 7;
    if (k >= 0 && k < 200) a[k][k] = 8;
    for (i = 0; i < 300; i++)
        for (j = 0; j < 200; j++)
            if (a[i][j] != 7) reach_error();
    return 0;
}
