/* stdio.h, for engines that do not follow output: what is written is not observed, results are open. */

//! printf: writes text by a format
int printf(const char *format, ...) { return __VERIFIER_nondet_int(); }
//! fprintf: writes text by a format
int fprintf(void *stream, const char *format, ...) { return __VERIFIER_nondet_int(); }
//! vprintf: writes text by a format
int vprintf(const char *format, __builtin_va_list list) { return __VERIFIER_nondet_int(); }
//! vfprintf: writes text by a format
int vfprintf(void *stream, const char *format, __builtin_va_list list) { return __VERIFIER_nondet_int(); }
//! puts: writes a line
int puts(const char *text) { return __VERIFIER_nondet_int(); }
//! fputs: writes a string
int fputs(const char *text, void *stream) { return __VERIFIER_nondet_int(); }
//! fflush: writes what is buffered
int fflush(void *stream) { return __VERIFIER_nondet_int(); }
//! perror: writes a message about `errno`
void perror(const char *text) {}

static int written(int c) { return __VERIFIER_nondet_int() ? (unsigned char)c : -1; }
//! putchar: writes a character
int putchar(int c) { return written(c); }
//! putc: writes a character
int putc(int c, void *stream) { return written(c); }
//! fputc: writes a character
int fputc(int c, void *stream) { return written(c); }

//! fwrite: writes elements
size_t fwrite(const void *from, size_t size, size_t count, void *stream)
{
    int some = __VERIFIER_nondet_int();
    __VERIFIER_assume(some >= 0 && (size_t)some <= count);
    return (size_t)some;
}

/* What these take from outside is what they return: a run is repeated by giving the functions these results. */
//! getchar: reads a character
int getchar(void)
{
    int c = __VERIFIER_nondet_int();
    __VERIFIER_assume(c >= -1 && c <= 255);
    return c;
}

//! getc: reads a character
int getc(void *stream)
{
    if (!stream)
        __builtin_unreachable();
    int c = __VERIFIER_nondet_int();
    __VERIFIER_assume(c >= -1 && c <= 255);
    return c;
}

//! fgetc: reads a character
int fgetc(void *stream)
{
    if (!stream)
        __builtin_unreachable();
    int c = __VERIFIER_nondet_int();
    __VERIFIER_assume(c >= -1 && c <= 255);
    return c;
}

//! sprintf, snprintf, vsprintf, vsnprintf (built in): writes text by a format to a buffer
//! scanf, fscanf, sscanf (built in): reads values by a format
//! fgets (built in): reads a line
