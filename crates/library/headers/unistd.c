/* unistd.h. */
// Less than all of it where a signal comes.
//! sleep: waits some seconds
unsigned sleep(unsigned seconds)
{
    unsigned left = (unsigned)__VERIFIER_nondet_int();
    __VERIFIER_assume(left <= seconds);
    return left;
}

//! usleep: waits some microseconds
int usleep(unsigned microseconds)
{
    (void)microseconds;
    int result = __VERIFIER_nondet_int();
    __VERIFIER_assume(result == 0 || result == -1);
    return result;
}
