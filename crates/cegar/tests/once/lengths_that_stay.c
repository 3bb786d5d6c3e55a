// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);
static int rows = 300, columns = 40;
int main(void) {
    int n = rows * columns, seven = __VERIFIER_nondet_int();
    int *a = malloc(sizeof(int) * n);
    for (int i = 0; i < n; i++) a[i] = seven;
    for (int i = 0; i < n; i++) if (a[i] != seven) reach_error();
    return 0;
}
