// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int *kept;
static void keep(int *value) { kept = value; *kept += 1; }
static int once(void) {
    int x = 4;
    keep(&x);
    return x;
}
int main(void) {
    int x = once(), i = 0, n = __VERIFIER_nondet_int();
    while (i < n) { i++; if (x != 5) reach_error(); }
    return 0;
}
