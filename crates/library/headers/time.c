/* time.h. Times are what a Linux kernel can keep: less than 2^63 nanoseconds. */

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
        return failed_with(22);
    }
    if (!__concord_any_int(0))
        return 0;
    failed_with(4);
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

//! clock_gettime: the time by one of the clocks; 0, or -1 for a clock that is none
int clock_gettime(int which, struct __concord_timespec *now)
{
    if (which < 0 || which > 11 || __concord_any_int(0))
        return failed_with(22);
    long seconds = __VERIFIER_nondet_long(), part = __VERIFIER_nondet_long();
    __VERIFIER_assume(seconds >= 0 && seconds <= 9223372036L && part >= 0 && part <= 999999999);
    now->seconds = seconds;
    now->nanoseconds = part;
    return 0;
}

/* As glibc has it. */
struct __concord_tm {
    int seconds, minutes, hours, day, month, year, weekday, yearday, is_summer;
    long offset;
    const char *zone;
};

/* What a time is by the calendar: not followed, but for the limits of each part. */
static void take_apart(long time, struct __concord_tm *parts)
{
    (void)time;
    int year = __concord_some_int(70), month = __concord_some_int(0), day = __concord_some_int(1);
    int hours = __concord_some_int(0), minutes = __concord_some_int(0), seconds = __concord_some_int(0);
    int weekday = __concord_some_int(4), yearday = __concord_some_int(0), is_summer = __concord_some_int(0);
    long offset = __concord_some_long(0);
    __VERIFIER_assume(month >= 0 && month <= 11 && day >= 1 && day <= 31 && hours >= 0 && hours <= 23);
    __VERIFIER_assume(minutes >= 0 && minutes <= 59 && seconds >= 0 && seconds <= 60);
    __VERIFIER_assume(weekday >= 0 && weekday <= 6 && yearday >= 0 && yearday <= 365);
    parts->seconds = seconds;
    parts->minutes = minutes;
    parts->hours = hours;
    parts->day = day;
    parts->month = month;
    parts->year = year;
    parts->weekday = weekday;
    parts->yearday = yearday;
    parts->is_summer = is_summer;
    parts->offset = offset;
    parts->zone = (const char *)__concord_some_long(0);
}
static struct __concord_tm *taken_apart(const long *time, struct __concord_tm *parts)
{
    long when = *time;
    if (__concord_any_int(0)) {
        failed_with(75);
        return 0;
    }
    take_apart(when, parts);
    return parts;
}
//! gmtime_r, localtime_r: a time by the calendar, of which only the limits of each part are known; null where the year does not fit
struct __concord_tm *gmtime_r(const long *restrict time, struct __concord_tm *restrict parts) { return taken_apart(time, parts); }
struct __concord_tm *localtime_r(const long *restrict time, struct __concord_tm *restrict parts) { return taken_apart(time, parts); }
/* One object for both, as the standard allows. */
static struct __concord_tm shared;
//! gmtime, localtime: as `gmtime_r`, in an object that the next such call overwrites
struct __concord_tm *gmtime(const long *time) { return taken_apart(time, &shared); }
struct __concord_tm *localtime(const long *time) { return taken_apart(time, &shared); }
//! mktime, timegm: the time that a date stands for, or -1; reads all parts but the days of the week and of the year, and brings them into their limits
long mktime(struct __concord_tm *parts)
{
    __concord_readable(parts, sizeof *parts);
    __concord_writable(parts, sizeof *parts);
    (void)parts->seconds, (void)parts->minutes, (void)parts->hours;
    (void)parts->day, (void)parts->month, (void)parts->year, (void)parts->is_summer;
    long time = __concord_some_long(0);
    take_apart(time, parts);
    return time;
}
long timegm(struct __concord_tm *parts) { return mktime(parts); }
//! strftime: writes a date by a format; how many characters, or 0 where they do not fit
size_t strftime(char *restrict to, size_t size, const char *restrict format, const struct __concord_tm *restrict parts)
{
    const char *at = format;
    while (*at)
        at++;
    __concord_readable(parts, sizeof *parts);
    size_t length = (size_t)(unsigned)__concord_some_int(0);
    __VERIFIER_assume(length < size || length == 0);
    if (!length) {
        // Nothing that fits: what is in the array then is not said.
        for (size_t i = 0; i < size; i++)
            to[i] = (char)__concord_some_int(0);
        return 0;
    }
    __concord_writable(to, length + 1);
    for (size_t i = 0; i < length; i++) {
        char c = (char)__concord_some_int('0');
        __VERIFIER_assume(c != 0);
        to[i] = c;
    }
    to[length] = 0;
    return length;
}
/* 26 bytes: "Thu Jan  1 00:00:00 1970\n". Years of more than four digits make it longer. */
static char *as_text(const struct __concord_tm *parts, char *text)
{
    __concord_readable(parts, sizeof *parts);
    if (parts->year < -2899 || parts->year > 8099)
        __concord_unknown("a date whose year does not have four digits");
    __concord_writable(text, 26);
    for (int i = 0; i < 24; i++) {
        char c = (char)__concord_some_int('0');
        __VERIFIER_assume(c >= ' ' && c < 127);
        text[i] = c;
    }
    text[24] = '\n';
    text[25] = 0;
    return text;
}
//! asctime_r, ctime_r: a date as a text of 25 characters
char *asctime_r(const struct __concord_tm *restrict parts, char *restrict text) { return as_text(parts, text); }
char *ctime_r(const long *restrict time, char *restrict text)
{
    struct __concord_tm parts;
    take_apart(*time, &parts);
    return as_text(&parts, text);
}
static char shared_text[26];
//! asctime, ctime: as `asctime_r`, in an array that the next such call overwrites
char *asctime(const struct __concord_tm *parts) { return as_text(parts, shared_text); }
char *ctime(const long *time)
{
    shared = (struct __concord_tm){0};
    take_apart(*time, &shared);
    return as_text(&shared, shared_text);
}
