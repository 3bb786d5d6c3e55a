// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    int a, b, held_a, held_b, more;
    while (1) {
        more = __VERIFIER_nondet_int();
        if (!more)
            return 0;
        a = __VERIFIER_nondet_int();
        b = __VERIFIER_nondet_int();
        held_a = held_b = 0;
        if (a)
            held_a = 1;
        if (b)
            held_b = 1;
        if (a && held_a != 1 || b && held_b != 1)
            reach_error();
    }
}
