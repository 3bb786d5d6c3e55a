// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int held;
static void acquire(void)
{
    if (held)
        reach_error();
    held = 1;
}
static void release(void)
{
    if (!held)
        reach_error();
    held = 0;
}
int main(void)
{
    int old, new = 0;
    do {
        acquire();
        old = new;
        if (__VERIFIER_nondet_int()) {
            release();
            new++;
        }
    } while (new != old);
    release();
    return 0;
}
