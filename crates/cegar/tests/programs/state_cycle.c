// HOLDS
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void)
{
    unsigned state = 0, steps = 0, rounds = __VERIFIER_nondet_uint();
    while (steps < rounds) {
        if (state == 0)
            state = 3;
        else if (state == 3)
            state = 7;
        else if (state == 7)
            state = 0;
        else
            reach_error();
        steps++;
    }
    return 0;
}
