// VIOLATED: the program's own reach_error does nothing, and the run goes on to a good end.
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { }

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x == 77)
        reach_error();
    return 0;
}
