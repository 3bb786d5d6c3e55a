// VIOLATED
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int chosen, other;
static void one(void) { chosen = 1; }
static void two(void) { chosen = 2; }
int main(void)
{
    void (*either)(void) = __VERIFIER_nondet_int() == 1234567 ? two : one;
    either();
    other = chosen;
    if (other == 2)
        reach_error();
    return 0;
}
