// FAILS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int sum(int *x) {
    long total = 0;
    for (int i = 0; i < 12; i++) total = total + x[i];
    return total;
}
int main(void) {
    int x[12];
    for (int i = 0; i < 12; i++) x[i] = __VERIFIER_nondet_int();
    int first = sum(x);
    for (int i = 0; i < 11; i++) x[i] = x[i + 1];
    if (sum(x) != first) reach_error();
    return 0;
}
