/* Gives a program the inputs of one run; see `concord audit --execute`. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
__attribute__((weak)) void __concord_tell(void);
__attribute__((no_instrument_function)) static void cut_off(int signal)
{
    (void)signal;
    if (__concord_tell)
        __concord_tell();
    _exit(76);
}
static unsigned long long a_constant(unsigned long long which);
__attribute__((no_instrument_function)) static void reached(const char *what)
{
    fprintf(stderr, "concord: %s is reached\n", what);
    _exit(99);
}
static unsigned long long seed, mode;
static struct { char name[64]; unsigned long long value; int taken; } given[4096];
static int count;
__attribute__((constructor, no_instrument_function)) static void begin(void)
{
    const char *text = getenv("CONCORD_SEED"), *file = getenv("CONCORD_GIVEN");
    seed = text ? strtoull(text, 0, 10) : 0;
    mode = seed % 5;
    seed = seed * 0x9E3779B97F4A7C15ULL + 1;
    FILE *from = file ? fopen(file, "r") : 0;
    while (from && count < 4096 && fscanf(from, "%63s %llu", given[count].name, &given[count].value) == 2)
        count++;
    if (from)
        fclose(from);
    struct itimerval enough = { { 0, 0 }, { 0, 300000 } };
    signal(SIGPROF, cut_off);
    setitimer(ITIMER_PROF, &enough, 0);
}
__attribute__((no_instrument_function)) static unsigned long long next(void)
{
    unsigned long long z = (seed += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}
__attribute__((no_instrument_function)) static unsigned long long drawn(const char *name)
{
    for (int i = 0; i < count; i++)
        if (!given[i].taken && !strcmp(given[i].name, name)) {
            given[i].taken = 1;
            return given[i].value;
        }
    static const unsigned long long limits[] = { 0, 1, 2, ~0ULL, ~1ULL, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000,
        0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 10, 100, 1000 };
    unsigned long long how = mode == 4 ? next() % 4 : mode;
    switch (how) {
    case 0: return next() % 16;
    case 1: return limits[next() % (sizeof limits / sizeof *limits)];
    case 2: return a_constant(next());
    default: return next() >> next() % 64;
    }
}
__attribute__((no_instrument_function)) static unsigned long long drawn_float(const char *name, unsigned size)
{
    for (int i = 0; i < count; i++)
        if (!given[i].taken && !strcmp(given[i].name, name)) {
            given[i].taken = 1;
            return given[i].value;
        }
    static const double some[] = { 0, -0.0, 1, -1, 0.5, 1e10, -1e10, 1e-30, 1e300, 3.14159, 1e308 * 10, -1e308 * 10 };
    union { double d; unsigned long long bits; } wide;
    union { float f; unsigned bits; } narrow;
    unsigned long long which = next();
    if (which % 3 == 0)
        return next();
    wide.d = which % 3 == 1 ? some[which / 3 % (sizeof some / sizeof *some)] : (double)(long long)(next() % 2001) - 1000;
    narrow.f = (float)wide.d;
    return size == 4 ? narrow.bits : wide.bits;
}
/* Nobody waits. */
__attribute__((weak)) unsigned sleep(unsigned seconds) { return seconds & 0; }
__attribute__((weak)) int usleep(unsigned microseconds) { return (int)microseconds & 0; }
__attribute__((weak)) void __VERIFIER_nondet_memory(void *to, unsigned long size)
{
    for (unsigned long i = 0; i < size; i++)
        ((unsigned char *)to)[i] = (unsigned char)drawn("__VERIFIER_nondet_memory");
}
