// UNDECIDED! an index may be outside the array: must never become HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    int a[4] = { 0 }, b = 0, i = __VERIFIER_nondet_int();
    a[i & 7] = 1;
    if (b)
        reach_error();
    return 0;
}
