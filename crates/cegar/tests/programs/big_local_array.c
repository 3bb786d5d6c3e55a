// UNDECIDED! needs an invariant over all elements; what cannot be encoded must never cut runs off
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    int a[100000], i = 0;
    while (i < 100000) {
        a[i] = __VERIFIER_nondet_int();
        i = i + 1;
    }
    for (i = 0; i < 100000; i++)
        if (a[i] == 5 && i == 99999)
            reach_error();
    return 0;
}
