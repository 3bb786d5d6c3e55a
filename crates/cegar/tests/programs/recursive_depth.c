// HOLDS: a counter of active calls is back at its start after any tree of calls.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int depth;

void walk(int left)
{
    depth = depth + 1;
    if (left > 0 && __VERIFIER_nondet_int())
        walk(left - 1);
    if (__VERIFIER_nondet_int())
        walk(left - 1);
    depth = depth - 1;
}

int main(void)
{
    walk(__VERIFIER_nondet_int());
    if (depth != 0)
        reach_error();
    return 0;
}
