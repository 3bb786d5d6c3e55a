/* stdlib.h. */
void *malloc(size_t);
void *realloc(void *, size_t);
void *memalign(size_t, size_t);

//! abs: the absolute value; that of the least number overflows
int abs(int value)
{
    __concord_need_no_overflow(value != -2147483647 - 1, "the absolute value of the least `int` does not fit");
    if (value == -2147483647 - 1)
        __concord_unknown("the absolute value of the least number");
    return value < 0 ? -value : value;
}
//! labs: the absolute value; that of the least number overflows
long labs(long value)
{
    __concord_need_no_overflow(value != -(long)(~0ul >> 1) - 1, "the absolute value of the least `long` does not fit");
    if (value == -(long)(~0ul >> 1) - 1)
        __concord_unknown("the absolute value of the least number");
    return value < 0 ? -value : value;
}
//! llabs: the absolute value; that of the least number overflows
long long llabs(long long value)
{
    __concord_need_no_overflow(value != -9223372036854775807ll - 1, "the absolute value of the least `long long` does not fit");
    if (value == -9223372036854775807ll - 1)
        __concord_unknown("the absolute value of the least number");
    return value < 0 ? -value : value;
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

/* Reads spaces, an optional sign, an optional 0x (0b since C23) and digits. The magnitude is meaningless once it exceeds the type. A base that is none
   gives 0 and leaves the end as it is. */
static unsigned long long number(const char *text, char **end, int base, int reads_binary, int *negative, int *overflow)
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
    if (reads_binary && (base == 0 || base == 2) && at[0] == '0' && (at[1] == 'b' || at[1] == 'B') && digit(at[2]) < 2) {
        at += 2;
        base = 2;
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

static long long as_strtoll(const char *text, char **end, int base, int reads_binary)
{
    int negative, overflow;
    unsigned long long magnitude = number(text, end, base, reads_binary, &negative, &overflow);
    return in_range(magnitude, negative, overflow, -9223372036854775807LL - 1, 9223372036854775807LL);
}
//! strtoll, __isoc23_strtoll, strtoimax: the number that a string begins with, in a base of 0 or 2 to 36; `errno` where it does not fit
long long strtoll(const char *restrict text, char **restrict end, int base) { return as_strtoll(text, end, base, 0); }
long long __isoc23_strtoll(const char *restrict text, char **restrict end, int base)
{
    return as_strtoll(text, end, base, 1);
}
long strtoimax(const char *restrict text, char **restrict end, int base) { return (long)strtoll(text, end, base); }

static long as_strtol(const char *text, char **end, int base, int reads_binary)
{
    int negative, overflow;
    unsigned long long magnitude = number(text, end, base, reads_binary, &negative, &overflow);
    long most = (long)(~0UL >> 1);
    return (long)in_range(magnitude, negative, overflow, -(long long)most - 1, most);
}
//! strtol, __isoc23_strtol: the number that a string begins with, in a base of 0 or 2 to 36; `errno` where it does not fit
long strtol(const char *restrict text, char **restrict end, int base) { return as_strtol(text, end, base, 0); }
long __isoc23_strtol(const char *restrict text, char **restrict end, int base)
{
    return as_strtol(text, end, base, 1);
}

static unsigned long long as_strtoull(const char *text, char **end, int base, int reads_binary)
{
    int negative, overflow;
    unsigned long long magnitude = number(text, end, base, reads_binary, &negative, &overflow);
    if (overflow) {
        *__errno_location() = 34;
        return ~0ULL;
    }
    return negative ? 0 - magnitude : magnitude;
}
//! strtoull, __isoc23_strtoull: the number that a string begins with, without a sign; `errno` where it does not fit
unsigned long long strtoull(const char *restrict text, char **restrict end, int base) { return as_strtoull(text, end, base, 0); }
unsigned long long __isoc23_strtoull(const char *restrict text, char **restrict end, int base)
{
    return as_strtoull(text, end, base, 1);
}

static unsigned long as_strtoul(const char *text, char **end, int base, int reads_binary)
{
    int negative, overflow;
    unsigned long long magnitude = number(text, end, base, reads_binary, &negative, &overflow);
    if (overflow || magnitude > ~0UL) {
        *__errno_location() = 34;
        return ~0UL;
    }
    return (unsigned long)(negative ? 0 - magnitude : magnitude);
}
//! strtoul, __isoc23_strtoul: the number that a string begins with, without a sign; `errno` where it does not fit
unsigned long strtoul(const char *restrict text, char **restrict end, int base) { return as_strtoul(text, end, base, 0); }
unsigned long __isoc23_strtoul(const char *restrict text, char **restrict end, int base)
{
    return as_strtoul(text, end, base, 1);
}

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
    unsigned long long magnitude = number(text, 0, 10, 0, &negative, &overflow);
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

static void read_text(const char *text)
{
    while (*text)
        text++;
}

/* Did the program change its environment? */
static int is_changed;

//! getenv: a variable of the environment; only that it may be missing is known
char *getenv(const char *name)
{
    read_text(name);
    if (is_changed || __VERIFIER_nondet_int())
        __concord_unknown("the value of an environment variable");
    return 0;
}
//! setenv, unsetenv, putenv, clearenv: changes the environment, which is not followed; 0, or -1
int setenv(const char *name, const char *value, int overwrites)
{
    (void)overwrites;
    read_text(name);
    read_text(value);
    is_changed = 1;
    return __concord_any_int(0) ? failed() : 0;
}
int unsetenv(const char *name)
{
    read_text(name);
    is_changed = 1;
    return __concord_any_int(0) ? failed() : 0;
}
int putenv(char *setting) { return unsetenv(setting); }
int clearenv(void)
{
    is_changed = 1;
    return __concord_any_int(0) ? -1 : 0;
}

//! system: has a command carried out; with a null pointer, whether that is possible
int system(const char *command)
{
    if (command)
        read_text(command);
    return __VERIFIER_nondet_int();
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

//! posix_memalign: a new block at a multiple of a power of two, which must be a multiple of a pointer's size; 0, `EINVAL` or `ENOMEM`
int posix_memalign(void **to, size_t alignment, size_t size)
{
    if (alignment == 0 || alignment & (alignment - 1) || alignment % sizeof(void *))
        return 22;
    void *made = memalign(alignment, size);
    if (!made)
        return 12;
    *to = made;
    return 0;
}

//! reallocarray: as `realloc`, with the size as a product that must not overflow
void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        failed_with(12);
        return 0;
    }
    return realloc(block, bytes);
}

//! lrand48: a pseudo-random number below 2^31
long lrand48(void) { return rand(); }
//! drand48: a pseudo-random number from 0 up to 1
double drand48(void) { return rand() / 2147483648.0; }
//! srand48: begins a sequence of pseudo-random numbers
void srand48(long seed)
{
    (void)seed;
    srand(0);
}
//! arc4random: a random number
unsigned arc4random(void) { return (unsigned)__VERIFIER_nondet_int(); }
//! arc4random_uniform: a random number below a bound
unsigned arc4random_uniform(unsigned bound)
{
    unsigned number = (unsigned)__VERIFIER_nondet_int();
    __VERIFIER_assume(bound < 2 ? number == 0 : number < bound);
    return number;
}

/* A number in decimal or hexadecimal notation, an infinity, or something that is no number, at the beginning of a text. Its value is known where it is exact:
   up to 15 digits, and a power of ten that a `double` holds, so that one operation rounds once. */
static int begins_with(const char *text, const char *word)
{
    while (*word) {
        char c = *text >= 'A' && *text <= 'Z' ? (char)(*text + 32) : *text;
        if (c != *word)
            return 0;
        text++;
        word++;
    }
    return 1;
}
static double unknown_number(void)
{
    union { long long bits; double number; } some;
    some.bits = (long long)((unsigned long long)(unsigned)__concord_some_int(0) << 32 | (unsigned)__concord_some_int(0));
    return some.number;
}
static double decimal(const char *text, const char **end, int *is_exact)
{
    const char *at = text;
    int negative = 0, digits = 0, any = 0, base = 10;
    long scale = 0, exponent = 0;
    unsigned long long magnitude = 0;
    *is_exact = 1;
    *end = text;
    while (is_space(*at))
        at++;
    if (*at == '-' || *at == '+')
        negative = *at++ == '-';
    if (begins_with(at, "inf")) {
        *end = at + (begins_with(at, "infinity") ? 8 : 3);
        return negative ? -__builtin_inf() : __builtin_inf();
    }
    if (begins_with(at, "nan")) {
        *is_exact = 0;
        at += 3;
        *end = at;
        if (*at == '(') {
            const char *inside = at + 1;
            while (digit(*inside) < 36 || *inside == '_')
                inside++;
            if (*inside == ')')
                *end = inside + 1;
        }
        return 0;
    }
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && (digit(at[2]) < 16 || (at[2] == '.' && digit(at[3]) < 16))) {
        at += 2;
        base = 16;
    }
    for (int is_behind = 0;; at++) {
        if (*at == '.' && !is_behind) {
            is_behind = 1;
            continue;
        }
        int next = digit(*at);
        if (next >= base)
            break;
        any = 1;
        if (is_behind)
            scale--;
        if (magnitude || next)
            digits++;
        if (digits <= 15)
            magnitude = magnitude * (unsigned)base + (unsigned)next;
    }
    if (!any)
        return 0;
    *end = at;
    if (base == 10 ? *at == 'e' || *at == 'E' : *at == 'p' || *at == 'P') {
        const char *behind = at + 1;
        int is_small = 0;
        if (*behind == '-' || *behind == '+')
            is_small = *behind++ == '-';
        if (digit(*behind) < 10) {
            while (digit(*behind) < 10) {
                if (exponent < 100000)
                    exponent = exponent * 10 + digit(*behind);
                behind++;
            }
            *end = behind;
            scale += is_small ? -exponent : exponent;
        }
    }
    if (base == 16 || digits > 15 || (magnitude && (scale < -22 || scale > 22))) {
        *is_exact = 0;
        return 0;
    }
    double value = (double)magnitude, power = 1;
    if (magnitude) {
        for (long i = scale < 0 ? -scale : scale; i > 0; i--)
            power *= 10;
        value = scale < 0 ? value / power : value * power;
    }
    return negative ? -value : value;
}

//! strtod: the number that a string begins with; its value is known for up to 15 decimal digits
double strtod(const char *restrict text, char **restrict end)
{
    const char *behind;
    int is_exact;
    double value = decimal(text, &behind, &is_exact);
    if (end)
        *end = (char *)behind;
    if (!is_exact) {
        value = unknown_number();
        if (looks_at_errno && __concord_some_int(0))
            *__errno_location() = 34;
    }
    return value;
}
//! atof: the number that a string begins with; its value is known for up to 15 decimal digits
double atof(const char *text) { return strtod(text, 0); }

//! malloc, calloc, aligned_alloc, memalign (built in): a new block
//! realloc (built in): a block of another size with the same contents; the old one must be null or a living block
//! free, cfree (built in): ends a block, which must be null or the start of a living one
//! alloca (built in): a block that lives until the caller returns
//! abort (built in): ends the run
//! exit, _Exit, _exit, quick_exit (built in): ends the program
//! atexit (built in): has a function called when the program ends
