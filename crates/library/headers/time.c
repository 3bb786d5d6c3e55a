/* time.h. */
//! time: the time of day
long time(long *to)
{
    long now = __VERIFIER_nondet_long();
    if (to)
        *to = now;
    return now;
}

//! clock: the processor time used
long clock(void) { return __VERIFIER_nondet_long(); }
