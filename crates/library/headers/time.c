/* time.h. Times are what a Linux kernel can keep: less than 2^63 nanoseconds. */
int *__errno_location(void);

//! time: the time of day, or -1; also written through the pointer
long time(long *to)
{
    long now = __VERIFIER_nondet_long();
    __VERIFIER_assume(now >= -1 && now <= 9223372036L);
    if (to)
        *to = now;
    return now;
}

//! clock: the processor time used, which never becomes less, or -1
long clock(void)
{
    static long last;
    long now = __VERIFIER_nondet_long();
    __VERIFIER_assume(now == -1 || (now >= last && now <= 9223372036854775L));
    if (now >= 0)
        last = now;
    return now;
}

//! difftime: the difference of two times
double difftime(long end, long begin) { return (double)end - (double)begin; }

struct __concord_timespec { long seconds, nanoseconds; };

//! nanosleep: waits; -1 and the time left where a signal comes or the time is none
int nanosleep(const struct __concord_timespec *wanted, struct __concord_timespec *left)
{
    long seconds = wanted->seconds, nanoseconds = wanted->nanoseconds;
    if (seconds < 0 || nanoseconds < 0 || nanoseconds > 999999999) {
        *__errno_location() = 22;
        return -1;
    }
    if (!__concord_any_int(0))
        return 0;
    *__errno_location() = 4;
    if (left) {
        long rest = __VERIFIER_nondet_long(), part = __VERIFIER_nondet_long();
        __VERIFIER_assume(rest >= 0 && rest <= seconds && part >= 0 && part <= 999999999);
        left->seconds = rest;
        left->nanoseconds = part;
    }
    return -1;
}

//! gettimeofday: the time of day in seconds and microseconds
int gettimeofday(struct __concord_timespec *now, void *zone)
{
    (void)zone;
    if (now) {
        long seconds = __VERIFIER_nondet_long(), part = __VERIFIER_nondet_long();
        __VERIFIER_assume(seconds >= 0 && seconds <= 9223372036L && part >= 0 && part <= 999999);
        now->seconds = seconds;
        now->nanoseconds = part;
    }
    return 0;
}
