// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[300][200];
int main(void) {
    int i, j, most;
    for (i = 0; i < 300; i++)
        for (j = 0; j < 200; j++) a[i][j] = __VERIFIER_nondet_int();
    most = a[0][0];
    for (i = 0; i < 300; i++)
        for (j = 0; j < 200; j++)
            if (a[i][j] > most) most = a[i][j];
    for (i = 0; i < 300; i++)
        for (j = 0; j < 200; j++)
            if (a[i][j] > most) reach_error();
    return 0;
}
