// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int f(int x) { return x > 100 ? x - 10 : f(f(x + 11)); }
int main(void)
{
    int x = __VERIFIER_nondet_int(), result = f(x);
    if (result != 91 && !(x > 101 && result == x - 10))
        reach_error();
    return 0;
}
