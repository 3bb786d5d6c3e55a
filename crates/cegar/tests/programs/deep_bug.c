// VIOLATED
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    int n = 0;
    while (__VERIFIER_nondet_int()) {
        n++;
        if (n == 25)
            reach_error();
    }
    return 0;
}
