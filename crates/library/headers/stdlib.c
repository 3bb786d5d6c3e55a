/* stdlib.h. */
int *__errno_location(void);

//! abs: the absolute value; that of the least number overflows
int abs(int value)
{
    __concord_need_no_overflow(value != -2147483647 - 1, "the absolute value of the least `int` does not fit");
    return value < 0 ? (int)(0u - (unsigned)value) : value;
}
//! labs: the absolute value; that of the least number overflows
long labs(long value)
{
    __concord_need_no_overflow(value != -(long)(~0ul >> 1) - 1, "the absolute value of the least `long` does not fit");
    return value < 0 ? (long)(0ul - (unsigned long)value) : value;
}
//! llabs: the absolute value; that of the least number overflows
long long llabs(long long value)
{
    __concord_need_no_overflow(value != -9223372036854775807ll - 1, "the absolute value of the least `long long` does not fit");
    return value < 0 ? (long long)(0ull - (unsigned long long)value) : value;
}

//! div: quotient and remainder; the divisor must not be zero, and the quotient must fit
struct __concord_div { int quot, rem; };
struct __concord_div div(int number, int by)
{
    struct __concord_div both = { number / by, number % by };
    return both;
}
//! ldiv: quotient and remainder; the divisor must not be zero, and the quotient must fit
struct __concord_ldiv { long quot, rem; };
struct __concord_ldiv ldiv(long number, long by)
{
    struct __concord_ldiv both = { number / by, number % by };
    return both;
}
//! lldiv: quotient and remainder; the divisor must not be zero, and the quotient must fit
struct __concord_lldiv { long long quot, rem; };
struct __concord_lldiv lldiv(long long number, long long by)
{
    struct __concord_lldiv both = { number / by, number % by };
    return both;
}

static int is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static int digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 99;
}

/* Reads spaces, an optional sign, an optional 0x and digits. The magnitude is meaningless once it exceeds the type. A base that is none
   gives 0 and leaves the end as it is. */
static unsigned long long number(const char *text, char **end, int base, int *negative, int *overflow)
{
    const char *at = text;
    unsigned long long value = 0;
    int any = 0;
    *negative = 0;
    *overflow = 0;
    if (base < 0 || base == 1 || base > 36) {
        *__errno_location() = 22;
        return 0;
    }
    while (is_space(*at))
        at++;
    if (*at == '-' || *at == '+') {
        *negative = *at == '-';
        at++;
    }
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && digit(at[2]) < 16) {
        at += 2;
        base = 16;
    }
    if (base == 0)
        base = *at == '0' ? 8 : 10;
    while (digit(*at) < base) {
        unsigned long long next;
        if (__builtin_mul_overflow(value, (unsigned long long)base, &next) ||
            __builtin_add_overflow(next, (unsigned long long)digit(*at), &value))
            *overflow = 1;
        at++;
        any = 1;
    }
    if (end)
        *end = (char *)(any ? at : text);
    return *overflow ? ~0ULL : value;
}

static long long in_range(unsigned long long magnitude, int negative, int overflow, long long low, long long high)
{
    unsigned long long limit = negative ? (unsigned long long)high + 1 : (unsigned long long)high;
    if (overflow || magnitude > limit) {
        *__errno_location() = 34;
        return negative ? low : high;
    }
    return negative ? (long long)(0 - magnitude) : (long long)magnitude;
}

//! strtoll, __isoc23_strtoll, strtoimax: the number that a string begins with, in a base of 0 or 2 to 36; `errno` where it does not fit
long long strtoll(const char *restrict text, char **restrict end, int base)
{
    int negative, overflow;
    unsigned long long magnitude = number(text, end, base, &negative, &overflow);
    return in_range(magnitude, negative, overflow, -9223372036854775807LL - 1, 9223372036854775807LL);
}
long long __isoc23_strtoll(const char *restrict text, char **restrict end, int base) { return strtoll(text, end, base); }
long strtoimax(const char *restrict text, char **restrict end, int base) { return (long)strtoll(text, end, base); }

//! strtol, __isoc23_strtol: the number that a string begins with, in a base of 0 or 2 to 36; `errno` where it does not fit
long strtol(const char *restrict text, char **restrict end, int base)
{
    int negative, overflow;
    unsigned long long magnitude = number(text, end, base, &negative, &overflow);
    long most = (long)(~0UL >> 1);
    return (long)in_range(magnitude, negative, overflow, -(long long)most - 1, most);
}
long __isoc23_strtol(const char *restrict text, char **restrict end, int base) { return strtol(text, end, base); }

//! strtoull, __isoc23_strtoull: the number that a string begins with, without a sign; `errno` where it does not fit
unsigned long long strtoull(const char *restrict text, char **restrict end, int base)
{
    int negative, overflow;
    unsigned long long magnitude = number(text, end, base, &negative, &overflow);
    if (overflow) {
        *__errno_location() = 34;
        return ~0ULL;
    }
    return negative ? 0 - magnitude : magnitude;
}
unsigned long long __isoc23_strtoull(const char *restrict text, char **restrict end, int base)
{
    return strtoull(text, end, base);
}

//! strtoul, __isoc23_strtoul: the number that a string begins with, without a sign; `errno` where it does not fit
unsigned long strtoul(const char *restrict text, char **restrict end, int base)
{
    int negative, overflow;
    unsigned long long magnitude = number(text, end, base, &negative, &overflow);
    if (overflow || magnitude > ~0UL) {
        *__errno_location() = 34;
        return ~0UL;
    }
    return (unsigned long)(negative ? 0 - magnitude : magnitude);
}
unsigned long __isoc23_strtoul(const char *restrict text, char **restrict end, int base) { return strtoul(text, end, base); }

/* What does not fit has no defined value. */
//! atoi: the number that a string begins with; one that does not fit has no value to rely on
int atoi(const char *text)
{
    long value = strtol(text, 0, 10);
    if (value < -2147483647L - 1 || value > 2147483647L)
        return __concord_some_int((int)value);
    return (int)value;
}
//! atol: the number that a string begins with; one that does not fit has no value to rely on
long atol(const char *text)
{
    int negative, overflow;
    unsigned long long magnitude = number(text, 0, 10, &negative, &overflow);
    long most = (long)(~0UL >> 1);
    long value = (long)in_range(magnitude, negative, overflow, -(long long)most - 1, most);
    if (overflow || magnitude > (unsigned long)most + (unsigned long)negative)
        return __concord_some_long(value);
    return value;
}
//! atoll: the number that a string begins with; one that does not fit has no value to rely on
long long atoll(const char *text) { return sizeof(long) == 8 ? atol(text) : strtoll(text, 0, 10); }

/* Equal seeds give equal numbers: once a sequence begins again, what comes is not any number but one that nobody knows here. */
static int has_drawn, begins_again;

//! rand: a pseudo-random number; the same as before after a second `srand`, which is not followed
int rand(void)
{
    int value = __VERIFIER_nondet_int();
    __VERIFIER_assume(value >= 0);
    has_drawn = 1;
    if (begins_again) {
        value = __concord_some_int(value);
        __VERIFIER_assume(value >= 0);
    }
    return value;
}

//! random: a pseudo-random number; the same as before after a second `srandom`, which is not followed
long random(void) { return rand(); }

//! srand, srandom: begins a sequence of pseudo-random numbers
void srand(unsigned seed)
{
    (void)seed;
    begins_again = has_drawn;
}
void srandom(unsigned seed) { srand(seed); }

//! rand_r: a pseudo-random number from a seed of the caller's, which is not followed
int rand_r(unsigned *seed)
{
    *seed = (unsigned)__concord_some_int(__VERIFIER_nondet_int());
    int value = __concord_some_int(__VERIFIER_nondet_int());
    __VERIFIER_assume(value >= 0);
    return value;
}

//! getenv: a variable of the environment; only that it may be missing is known
char *getenv(const char *name)
{
    while (*name)
        name++;
    if (__VERIFIER_nondet_int())
        __concord_unknown("the value of an environment variable");
    return 0;
}

/* The number of bytes in an array, which must lie in one object. */
static size_t array_size(const void *base, size_t count, size_t size)
{
    size_t bytes;
    int is_too_large = __builtin_mul_overflow(count, size, &bytes);
    __concord_need(!is_too_large, "the array is larger than any object");
    return bytes;
}

static void swap_bytes(unsigned char *a, unsigned char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        // In memory: padding that was never written may be moved.
        unsigned char kept[1] = {a[i]};
        a[i] = b[i];
        b[i] = kept[0];
    }
}

//! qsort: sorts by a comparison; equal elements come in any order, and how often the comparison is called is open
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    unsigned char *items = base;
    __concord_writable(base, array_size(base, count, size));
    if (count < 2)
        return;
    for (size_t next = 1; next < count; next++)
        for (size_t at = next; at > 0; at--) {
            int order = compare(items + (at - 1) * size, items + at * size);
            // Of two that are equal either may come first.
            if (order < 0 || (order == 0 && !__concord_any_int(0)))
                break;
            swap_bytes(items + (at - 1) * size, items + at * size, size);
        }
    // What is sorted by a comparison that contradicts itself is in no known order. Any three may have been compared again.
    size_t first = (size_t)(unsigned)__concord_any_int(0), last = (size_t)(unsigned)__concord_any_int(0);
    if (first < last && last < count) {
        int order = compare(items + first * size, items + last * size);
        if (order > 0 || compare(items + last * size, items + first * size) < 0)
            __concord_unknown("the order that a comparison gives which contradicts itself");
        if (order == 0 && compare(items + first * size, items + (first + 1) * size) != 0)
            __concord_unknown("the order that a comparison gives which contradicts itself");
    }
}

//! bsearch: finds an element of a sorted array, any of those that are equal to the key
void *bsearch(const void *key, const void *base, size_t count, size_t size,
              int (*compare)(const void *, const void *))
{
    const unsigned char *items = base;
    size_t low = 0, high = count;
    __concord_readable(base, array_size(base, count, size));
    while (low < high) {
        size_t half = (high - low) / 2;
        size_t step = (size_t)(unsigned)__concord_any_int((int)half);
        __VERIFIER_assume(step < high - low);
        size_t middle = low + step;
        int order = compare(key, items + middle * size);
        if (order == 0)
            return (void *)(items + middle * size);
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

//! malloc, calloc, aligned_alloc, memalign, posix_memalign (built in): a new block
//! realloc (built in): a block of another size with the same contents; the old one must be null or a living block
//! free, cfree (built in): ends a block, which must be null or the start of a living one
//! alloca (built in): a block that lives until the caller returns
//! abort (built in): ends the run
//! exit, _Exit, _exit, quick_exit (built in): ends the program
//! atexit (built in): has a function called when the program ends
