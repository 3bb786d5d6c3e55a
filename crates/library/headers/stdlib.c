/* stdlib.h. */
int *__errno_location(void);
void *memcpy(void *, const void *, size_t);

//! abs: the absolute value; that of the least number overflows
int abs(int value) { return value < 0 ? -value : value; }
//! labs: the absolute value; that of the least number overflows
long labs(long value) { return value < 0 ? -value : value; }
//! llabs: the absolute value; that of the least number overflows
long long llabs(long long value) { return value < 0 ? -value : value; }


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

/* Reads an optional sign, an optional 0x and digits. Returns the magnitude (all ones once it exceeds the type). */
static unsigned long long number(const char *text, char **end, int base, int *negative, int *overflow)
{
    const char *at = text;
    unsigned long long value = 0;
    int any = 0;
    *negative = 0;
    *overflow = 0;
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

//! strtoll: the number that a string begins with, in a base
long long strtoll(const char *restrict text, char **restrict end, int base)
{
    int negative, overflow;
    unsigned long long magnitude = number(text, end, base, &negative, &overflow);
    return in_range(magnitude, negative, overflow, -9223372036854775807LL - 1, 9223372036854775807LL);
}

//! strtol: the number that a string begins with, in a base
long strtol(const char *restrict text, char **restrict end, int base)
{
    int negative, overflow;
    unsigned long long magnitude = number(text, end, base, &negative, &overflow);
    long most = (long)(~0UL >> 1);
    return (long)in_range(magnitude, negative, overflow, -(long long)most - 1, most);
}

//! strtoull: the number that a string begins with, in a base
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

//! strtoul: the number that a string begins with, in a base
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

//! atoi: the number that a string begins with
int atoi(const char *text) { return (int)strtol(text, 0, 10); }
//! atol: the number that a string begins with
long atol(const char *text) { return strtol(text, 0, 10); }
//! atoll: the number that a string begins with
long long atoll(const char *text) { return strtoll(text, 0, 10); }

//! rand: a pseudo-random number
int rand(void)
{
    int value = __VERIFIER_nondet_int();
    __VERIFIER_assume(value >= 0);
    return value;
}

//! srand: begins a sequence of pseudo-random numbers
void srand(unsigned seed) { (void)seed; }

//! random: a pseudo-random number
long random(void)
{
    long value = __VERIFIER_nondet_long();
    __VERIFIER_assume(value >= 0 && value <= 2147483647L);
    return value;
}

//! srandom: begins a sequence of pseudo-random numbers
void srandom(unsigned seed) { (void)seed; }



static void swap_bytes(unsigned char *a, unsigned char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

/* Any algorithm will do: the standard promises the order only. Heap sort needs neither memory nor luck. */
static void sift_down(unsigned char *items, size_t root, size_t count, size_t size,
                      int (*compare)(const void *, const void *))
{
    for (;;) {
        size_t child = 2 * root + 1;
        if (child >= count)
            return;
        if (child + 1 < count && compare(items + child * size, items + (child + 1) * size) < 0)
            child++;
        if (compare(items + root * size, items + child * size) >= 0)
            return;
        swap_bytes(items + root * size, items + child * size, size);
        root = child;
    }
}

//! qsort: sorts by a comparison; equal elements come in any order
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    unsigned char *items = base;
    if (count < 2)
        return;
    for (size_t root = count / 2; root > 0; root--)
        sift_down(items, root - 1, count, size, compare);
    for (size_t last = count - 1; last > 0; last--) {
        swap_bytes(items, items + last * size, size);
        sift_down(items, 0, last, size, compare);
    }
}

//! bsearch: finds an element of a sorted array
void *bsearch(const void *key, const void *base, size_t count, size_t size,
              int (*compare)(const void *, const void *))
{
    const unsigned char *items = base;
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
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
