// FAILS
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);
static int *first;
static void deeper(int k) {
    int *p = malloc(sizeof(int));
    *p = k;
    if (!first) first = p;
    if (k > 0) deeper(k - 1);
    else if (*first != *p) reach_error();
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 5) return 0;
    deeper(n);
    return 0;
}
