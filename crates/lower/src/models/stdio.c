/* Models of stdio.h for engines that do not follow output: what is written is not observed, results are open. */
typedef __typeof__(sizeof(0)) size_t;
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

int printf(const char *format, ...) { return __VERIFIER_nondet_int(); }
int fprintf(void *stream, const char *format, ...) { return __VERIFIER_nondet_int(); }
int vprintf(const char *format, __builtin_va_list list) { return __VERIFIER_nondet_int(); }
int vfprintf(void *stream, const char *format, __builtin_va_list list) { return __VERIFIER_nondet_int(); }
int puts(const char *text) { return __VERIFIER_nondet_int(); }
int fputs(const char *text, void *stream) { return __VERIFIER_nondet_int(); }
int fflush(void *stream) { return __VERIFIER_nondet_int(); }
void perror(const char *text) {}

static int written(int c) { return __VERIFIER_nondet_int() ? (unsigned char)c : -1; }
int putchar(int c) { return written(c); }
int putc(int c, void *stream) { return written(c); }
int fputc(int c, void *stream) { return written(c); }

size_t fwrite(const void *from, size_t size, size_t count, void *stream)
{
    int some = __VERIFIER_nondet_int();
    __VERIFIER_assume(some >= 0 && (size_t)some <= count);
    return (size_t)some;
}

/* What these take from outside is what they return: a run is repeated by giving the functions these results. */
int getchar(void)
{
    int c = __VERIFIER_nondet_int();
    __VERIFIER_assume(c >= -1 && c <= 255);
    return c;
}

int getc(void *stream)
{
    if (!stream)
        __builtin_unreachable();
    int c = __VERIFIER_nondet_int();
    __VERIFIER_assume(c >= -1 && c <= 255);
    return c;
}

int fgetc(void *stream)
{
    if (!stream)
        __builtin_unreachable();
    int c = __VERIFIER_nondet_int();
    __VERIFIER_assume(c >= -1 && c <= 255);
    return c;
}
