// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int sum(int *x) {
    long total = 0;
    for (int i = 0; i < 25; i++) total = total + x[i];
    return total;
}
static int odd(int *x) {
    int count = 0;
    for (int i = 0; i < 25; i++) if (x[i] % 2) count++; else count--;
    return count;
}
int main(void) {
    int x[25];
    for (int i = 0; i < 25; i++) x[i] = __VERIFIER_nondet_int();
    int first = sum(x), before = odd(x), kept = x[0];
    for (int i = 0; i < 24; i++) x[i] = x[i + 1];
    x[24] = kept;
    if (sum(x) != first || odd(x) != before) reach_error();
    return 0;
}
