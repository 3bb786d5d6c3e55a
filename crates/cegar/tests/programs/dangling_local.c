// UNDECIDED! a pointer to a local variable is used after its call: must never become HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int *keep(void)
{
    int local = 1;
    int *to = &local;
    return to;
}
int main(void)
{
    while (__VERIFIER_nondet_int()) {
        int *p = keep();
        if (*p == 2)
            reach_error();
    }
    return 0;
}
