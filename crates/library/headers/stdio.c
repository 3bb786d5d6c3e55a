/* stdio.h. What is written to streams is not observed; what is read from them comes from outside. Calls of the printf and scanf families whose
   format is known are described one by one (src/format); what stands here under their names is for formats that are not. */
unsigned long __VERIFIER_nondet_ulong(void);
unsigned char __VERIFIER_nondet_uchar(void);
void *realloc(void *, size_t);
void *malloc(size_t);
void *__concord_new_stream(size_t);

/* A stream is an object that only these functions use. Those of standard input that change often are variables of their own: see `ended`. */
struct __concord_stream {
    unsigned mark;
    int pushed; /* the character that `ungetc` put back, or -1 */
    int ended;
    int writes; /* may the program write to it? */
    int own;    /* may the program have written what is read from it? */
};
enum { OPEN = 0x46494c45, CLOSED = 0x656c6966 };
/* Can the program end the life of a stream? Replaced by 0 where it calls no function that does, so that nothing has to be known of the marks of
   the standard streams then. */
enum { may_close = 1 };

struct __concord_stream __concord_stdin = {OPEN, -1, 0, 0, 0};
struct __concord_stream __concord_stdout = {OPEN, -1, 0, 0, 0};
struct __concord_stream __concord_stderr = {OPEN, -1, 0, 0, 0};
static int input_pushed = -1;
static int input_ended;
/* Was a file closed that the program may have written? */
static int has_written;

static int is_standard(void *stream)
{
    return stream == &__concord_stdin || stream == &__concord_stdout || stream == &__concord_stderr;
}

/* What must hold of a stream that is used. */
static struct __concord_stream *opened(void *stream)
{
    struct __concord_stream *used = stream;
    if (!may_close && is_standard(stream))
        return used;
    __concord_need(stream != 0, "a null pointer is used as a stream");
    __concord_need(used->mark == OPEN, "what is used as a stream is none, or was closed");
    return used;
}

static int ended(struct __concord_stream *used) { return used == &__concord_stdin ? input_ended : used->ended; }
static void set_ended(struct __concord_stream *used, int value)
{
    if (used == &__concord_stdin)
        input_ended = value;
    else
        used->ended = value;
}
static int pushed(struct __concord_stream *used) { return used == &__concord_stdin ? input_pushed : used->pushed; }
static void set_pushed(struct __concord_stream *used, int value)
{
    if (used == &__concord_stdin)
        input_pushed = value;
    else
        used->pushed = value;
}

/* Something from a stream: anything if it comes from outside. What the program wrote itself is not followed: nobody knows it then. */
static int from(struct __concord_stream *used)
{
    if (used != &__concord_stdin && used->own)
        return __concord_some_int(0);
    return __VERIFIER_nondet_int();
}

/* Is the stream at its end? Once it is, it stays there. */
static int ends(struct __concord_stream *used)
{
    if (pushed(used) >= 0)
        return 0;
    if (ended(used))
        return 1;
    if (from(used)) {
        set_ended(used, 1);
        return 1;
    }
    return 0;
}

/* The next character of a stream that is not at its end. */
static int next(struct __concord_stream *used)
{
    int c = pushed(used);
    if (c >= 0) {
        set_pushed(used, -1);
        return c;
    }
    if (used != &__concord_stdin && used->own)
        return (unsigned char)__concord_some_int(0);
    return __VERIFIER_nondet_uchar();
}

/* A character, or -1 at the end. */
static int read_one(struct __concord_stream *used)
{
    if (pushed(used) >= 0)
        return next(used);
    if (ended(used))
        return -1;
    int c = from(used);
    __VERIFIER_assume(c >= -1 && c <= 255);
    if (c < 0)
        set_ended(used, 1);
    return c;
}

/* A result: zero, or -1 when the system refuses. */
static int done(void) { return __concord_any_int(0) ? failed() : 0; }

/* A result that counts something. */
static int counted(void)
{
    int some = __VERIFIER_nondet_int();
    __VERIFIER_assume(some >= -1);
    return some;
}

//! __concord_output: a stream that output goes to
void __concord_output(void *stream) { opened(stream); }
//! __concord_standard_output: the stream that `printf` writes to
void __concord_standard_output(void) { opened(&__concord_stdout); }
//! __concord_standard_input: the stream that `scanf` reads from
void *__concord_standard_input(void) { return opened(&__concord_stdin); }

//! __concord_between: a number between two others
size_t __concord_between(size_t least, size_t most)
{
    unsigned long some = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(some >= least && some <= most);
    return some;
}

//! __concord_text: the length of a string of which no more than some bytes are read (all, if negative)
size_t __concord_text(const char *text, long most)
{
    size_t length = 0;
    while (length != (size_t)most && text[length])
        length++;
    return length;
}

//! __concord_digits32: digits of a number of 32 bits
size_t __concord_digits32(unsigned value, int base)
{
    if (base == 16)
        return (size_t)1 + (value > 0xf) + (value > 0xff) + (value > 0xfff) + (value > 0xffff) + (value > 0xfffff) +
            (value > 0xffffff) + (value > 0xfffffff);
    if (base == 8)
        return (size_t)1 + (value > 07) + (value > 077) + (value > 0777) + (value > 07777) + (value > 077777) +
            (value > 0777777) + (value > 07777777) + (value > 077777777) + (value > 0777777777) + (value > 07777777777);
    return (size_t)1 + (value > 9) + (value > 99) + (value > 999) + (value > 9999) + (value > 99999) + (value > 999999) +
        (value > 9999999) + (value > 99999999) + (value > 999999999);
}

//! __concord_digits: digits of a number of 64 bits
size_t __concord_digits(unsigned long long value, int base)
{
    if (value <= 0xffffffff)
        return __concord_digits32((unsigned)value, base);
    if (base == 16)
        return 8 + __concord_digits32((unsigned)(value >> 32), 16);
    if (base == 8)
        return value >> 63 ? 22 : value >> 62 ? 21 : 10 + __concord_digits32((unsigned)(value >> 30), 8);
    return (size_t)10 + (value > 9999999999ULL) + (value > 99999999999ULL) + (value > 999999999999ULL) +
        (value > 9999999999999ULL) + (value > 99999999999999ULL) + (value > 999999999999999ULL) +
        (value > 9999999999999999ULL) + (value > 99999999999999999ULL) + (value > 999999999999999999ULL) +
        (value > 9999999999999999999ULL);
}

/* Flags of a directive: `-`, `+`, blank, `#`, `0`; a signed conversion; capital letters. */
enum { LEFT = 1, PLUS = 2, SPACE = 4, ALTERNATE = 8, ZERO = 16, SIGNED = 32, UPPER = 64 };

/* Digits that a number is shown with, leading zeros included. */
static size_t shown_digits(size_t digits, int is_zero, int base, int precision, int flags)
{
    size_t shown = is_zero && precision == 0 ? 0 : digits;
    if (precision > 0 && shown < (size_t)precision)
        shown = (size_t)precision;
    if (base == 8 && (flags & ALTERNATE)) {
        if (is_zero)
            shown = shown ? shown : 1;
        else if (shown <= digits)
            shown = digits + 1;
    }
    return shown;
}

static int sign_of(int negative, int flags)
{
    if (!(flags & SIGNED))
        return 0;
    return negative ? '-' : flags & PLUS ? '+' : flags & SPACE ? ' ' : 0;
}

//! __concord_number_length: how many characters a directive makes of a number
size_t __concord_number_length(size_t digits, int is_zero, int negative, int base, int precision, unsigned width, int flags)
{
    size_t length = shown_digits(digits, is_zero, base, precision, flags);
    if (base == 16 && (flags & ALTERNATE) && !is_zero)
        length += 2;
    if (sign_of(negative, flags))
        length += 1;
    return length < width ? width : length;
}

static void put(char *buffer, size_t size, size_t at, char c)
{
    if (at < size - 1)
        buffer[at] = c;
}

/* Sign, prefix and zeros of a number of `width` characters; returns where its digits end. */
static size_t put_around(char *buffer, size_t size, size_t at, size_t digits, int is_zero, int negative, int base, int precision,
                         unsigned width, int flags)
{
    size_t shown = shown_digits(digits, is_zero, base, precision, flags);
    int sign = sign_of(negative, flags), has_prefix = base == 16 && (flags & ALTERNATE) && !is_zero;
    size_t length = shown + (sign ? 1 : 0) + (has_prefix ? 2 : 0);
    size_t missing = length < width ? width - length : 0;
    size_t blanks = flags & LEFT ? 0 : missing, zeros = shown > digits ? shown - digits : 0, after = flags & LEFT ? missing : 0;
    if ((flags & ZERO) && !(flags & LEFT) && precision < 0) {
        zeros += blanks;
        blanks = 0;
    }
    for (size_t i = 0; i < blanks; i++)
        put(buffer, size, at++, ' ');
    if (sign)
        put(buffer, size, at++, (char)sign);
    if (has_prefix) {
        put(buffer, size, at++, '0');
        put(buffer, size, at++, flags & UPPER ? 'X' : 'x');
    }
    for (size_t i = 0; i < zeros; i++)
        put(buffer, size, at++, '0');
    if (shown)
        at += digits;
    for (size_t i = 0; i < after; i++)
        put(buffer, size, at + i, ' ');
    return at;
}

static char digit_of(unsigned digit, int flags)
{
    return (char)(digit < 10 ? '0' + digit : (flags & UPPER ? 'A' : 'a') + digit - 10);
}

//! __concord_put_number32: writes a number of 32 bits as a directive shows it
void __concord_put_number32(char *buffer, size_t size, size_t at, unsigned value, int negative, int base, int precision, unsigned width,
                            int flags)
{
    size_t digits = __concord_digits32(value, base);
    size_t end = put_around(buffer, size, at, digits, value == 0, negative, base, precision, width, flags);
    if (value == 0 && precision == 0 && !(base == 8 && (flags & ALTERNATE)))
        return;
    for (size_t i = 0; i < digits; i++) {
        put(buffer, size, end - 1 - i, digit_of(value % (unsigned)base, flags));
        value /= (unsigned)base;
    }
}

//! __concord_put_number: writes a number of 64 bits as a directive shows it
void __concord_put_number(char *buffer, size_t size, size_t at, unsigned long long value, int negative, int base, int precision,
                          unsigned width, int flags)
{
    size_t digits = __concord_digits(value, base);
    size_t end = put_around(buffer, size, at, digits, value == 0, negative, base, precision, width, flags);
    if (value == 0 && precision == 0 && !(base == 8 && (flags & ALTERNATE)))
        return;
    for (size_t i = 0; i < digits; i++) {
        put(buffer, size, end - 1 - i, digit_of((unsigned)(value % (unsigned)base), flags));
        value /= (unsigned)base;
    }
}

//! __concord_put_text: writes characters, padded to a width
void __concord_put_text(char *buffer, size_t size, size_t at, const char *text, size_t length, unsigned width, int left)
{
    size_t missing = length < width ? width - length : 0;
    if (!left)
        for (size_t i = 0; i < missing; i++)
            put(buffer, size, at++, ' ');
    for (size_t i = 0; i < length; i++)
        put(buffer, size, at++, text[i]);
    if (left)
        for (size_t i = 0; i < missing; i++)
            put(buffer, size, at++, ' ');
}

//! __concord_put_any: writes so many characters of which nothing is known
void __concord_put_any(char *buffer, size_t size, size_t at, size_t length)
{
    for (size_t i = 0; i < length && at + i < size - 1; i++) {
        char c = __VERIFIER_nondet_char();
        __VERIFIER_assume(c != 0);
        buffer[at + i] = c;
    }
}

//! __concord_output_result: the number of characters written to a stream, or a negative number
int __concord_output_result(size_t length)
{
    if (__VERIFIER_nondet_int() || length > 2147483647) {
        int trouble = __VERIFIER_nondet_int();
        __VERIFIER_assume(trouble < 0);
        return trouble;
    }
    return (int)length;
}

//! __concord_scan_begins: a stream that values are read from
void __concord_scan_begins(void *stream)
{
    struct __concord_stream *used = opened(stream);
    if (pushed(used) >= 0)
        __concord_unknown("values read by a format after `ungetc`");
    if (used != &__concord_stdin && used->own)
        __concord_unknown("values read by a format from a file that the program may have written");
}

//! __concord_scan_ends: does reading by a format stop here (1: no match, 2: the end), and is the end seen?
int __concord_scan_ends(void *stream, int looks_ahead)
{
    int how = __VERIFIER_nondet_int();
    __VERIFIER_assume(how >= 0 && how <= 2 + looks_ahead);
    if (!stream)
        return how;
    struct __concord_stream *used = stream;
    if (ended(used))
        return 2;
    if (how >= 2)
        set_ended(used, 1);
    return how;
}

/* The length of a format without directives; of others nothing is known here. */
static size_t plain(const char *format)
{
    size_t length = 0;
    while (format[length]) {
        if (format[length] == '%')
            __concord_unknown("a format that is no literal");
        length++;
    }
    return length;
}

static int print_to(char *buffer, size_t size, const char *format)
{
    size_t length = plain(format);
    if (size) {
        size_t kept = length < size - 1 ? length : size - 1;
        __concord_writable(buffer, kept + 1);
        __concord_apart(buffer, kept + 1, format, length + 1);
        for (size_t i = 0; i < kept; i++)
            buffer[i] = format[i];
        buffer[kept] = 0;
    }
    return length > 2147483647 ? -1 : (int)length;
}

//! printf: writes text by a format
int printf(const char *format, ...)
{
    opened(&__concord_stdout);
    return __concord_output_result(plain(format));
}
//! fprintf: writes text by a format
int fprintf(void *stream, const char *format, ...)
{
    opened(stream);
    return __concord_output_result(plain(format));
}
//! vprintf: writes text by a format
int vprintf(const char *format, __builtin_va_list list)
{
    opened(&__concord_stdout);
    return __concord_output_result(plain(format));
}
//! vfprintf: writes text by a format
int vfprintf(void *stream, const char *format, __builtin_va_list list)
{
    opened(stream);
    return __concord_output_result(plain(format));
}
//! sprintf: writes text by a format to a buffer
int sprintf(char *buffer, const char *format, ...) { return print_to(buffer, (size_t)-1, format); }
//! snprintf: writes text by a format to a buffer
int snprintf(char *buffer, size_t size, const char *format, ...) { return print_to(buffer, size, format); }
//! vsprintf: writes text by a format to a buffer
int vsprintf(char *buffer, const char *format, __builtin_va_list list) { return print_to(buffer, (size_t)-1, format); }
//! vsnprintf: writes text by a format to a buffer
int vsnprintf(char *buffer, size_t size, const char *format, __builtin_va_list list) { return print_to(buffer, size, format); }

static int scan(void)
{
    __concord_unknown("a format that is no literal");
    return __VERIFIER_nondet_int();
}
//! scanf, __isoc99_scanf, __isoc23_scanf: reads values by a format
int scanf(const char *format, ...) { return scan(); }
int __isoc99_scanf(const char *format, ...) { return scan(); }
int __isoc23_scanf(const char *format, ...) { return scan(); }
//! fscanf, __isoc99_fscanf, __isoc23_fscanf: reads values by a format
int fscanf(void *stream, const char *format, ...) { return scan(); }
int __isoc99_fscanf(void *stream, const char *format, ...) { return scan(); }
int __isoc23_fscanf(void *stream, const char *format, ...) { return scan(); }
//! sscanf, __isoc99_sscanf, __isoc23_sscanf: reads values by a format
int sscanf(const char *text, const char *format, ...) { return scan(); }
int __isoc99_sscanf(const char *text, const char *format, ...) { return scan(); }
int __isoc23_sscanf(const char *text, const char *format, ...) { return scan(); }

//! puts: writes a line
int puts(const char *text)
{
    opened(&__concord_stdout);
    __concord_text(text, -1);
    return counted();
}
//! fputs: writes a string
int fputs(const char *text, void *stream)
{
    opened(stream);
    __concord_text(text, -1);
    return counted();
}

static int written(int c) { return __VERIFIER_nondet_int() ? -1 : (unsigned char)c; }
//! putchar, putchar_unlocked: writes a character
int putchar(int c)
{
    opened(&__concord_stdout);
    return written(c);
}
int putchar_unlocked(int c)
{
    opened(&__concord_stdout);
    return written(c);
}
//! putc, fputc, _IO_putc: writes a character
int putc(int c, void *stream)
{
    opened(stream);
    return written(c);
}
int fputc(int c, void *stream)
{
    opened(stream);
    return written(c);
}
int _IO_putc(int c, void *stream)
{
    opened(stream);
    return written(c);
}

//! fwrite: writes bytes
size_t fwrite(const void *from, size_t size, size_t count, void *stream)
{
    opened(stream);
    size_t bytes;
    __concord_need(!__builtin_mul_overflow(size, count, &bytes), "the bytes are more than any object has");
    __concord_readable(from, bytes);
    if (!bytes)
        return 0;
    size_t some = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(some <= count);
    return some;
}

//! fflush: writes what is buffered
int fflush(void *stream)
{
    if (stream)
        opened(stream);
    return __concord_any_int(0) ? -1 : 0;
}

//! perror: writes a message about `errno`
void perror(const char *text)
{
    opened(&__concord_stderr);
    if (text)
        __concord_text(text, -1);
}

/* What these take from outside is what they return and store: a run is repeated by giving it these values. */
//! getchar, getchar_unlocked: reads a character
int getchar(void) { return read_one(opened(&__concord_stdin)); }
int getchar_unlocked(void) { return read_one(opened(&__concord_stdin)); }
//! getc, fgetc, _IO_getc: reads a character
int getc(void *stream) { return read_one(opened(stream)); }
int fgetc(void *stream) { return read_one(opened(stream)); }
int _IO_getc(void *stream) { return read_one(opened(stream)); }

//! ungetc: puts a character back
int ungetc(int c, void *stream)
{
    struct __concord_stream *used = opened(stream);
    if (c == -1)
        return -1;
    if (pushed(used) >= 0)
        __concord_unknown("more than one character put back");
    set_pushed(used, (unsigned char)c);
    set_ended(used, 0);
    return (unsigned char)c;
}

//! fgets: reads a line
char *fgets(char *buffer, int size, void *stream)
{
    struct __concord_stream *used = opened(stream);
    if (size <= 0)
        return 0;
    if (size == 1) {
        buffer[0] = 0;
        return buffer;
    }
    if (ends(used))
        return 0;
    __concord_writable(buffer, (size_t)size);
    size_t length = 0;
    do {
        int c = next(used);
        buffer[length++] = (char)c;
        if (c == '\n')
            break;
        if (length < (size_t)size - 1 && ends(used))
            break;
    } while (length < (size_t)size - 1);
    buffer[length] = 0;
    return buffer;
}

//! gets: reads a line into an array of any size, past its end
char *gets(char *buffer)
{
    opened(&__concord_stdin);
    __concord_need(0, "`gets` reads past the end of any array");
    return 0;
}

//! fread: reads bytes
size_t fread(void *to, size_t size, size_t count, void *stream)
{
    struct __concord_stream *used = opened(stream);
    size_t bytes;
    __concord_need(!__builtin_mul_overflow(size, count, &bytes), "the bytes are more than any object has");
    if (!bytes || ends(used))
        return 0;
    __concord_writable(to, bytes);
    size_t read = 0;
    do
        ((char *)to)[read++] = (char)next(used);
    while (read < bytes && !ends(used));
    return read / size;
}

/* Reads up to a character into memory that grows as needed. */
static long read_up_to(char **line, size_t *room, int last, struct __concord_stream *used)
{
    __concord_writable(line, sizeof *line);
    __concord_writable(room, sizeof *room);
    if (ends(used))
        return -1;
    char *text = *line;
    size_t length = 0;
    if (!text) {
        text = malloc(120);
        if (!text)
            return -1;
        *line = text;
        *room = 120;
    }
    for (;;) {
        int c = next(used);
        if (length + 1 >= *room) {
            text = realloc(text, 2 * *room + 2);
            if (!text)
                return -1;
            *line = text;
            *room = 2 * *room + 2;
        }
        text[length++] = (char)c;
        if (c == last || ends(used))
            break;
    }
    text[length] = 0;
    return (long)length;
}
//! getline: reads a line into memory that grows as needed
long getline(char **line, size_t *room, void *stream) { return read_up_to(line, room, '\n', opened(stream)); }
//! getdelim: reads up to a character into memory that grows as needed
long getdelim(char **line, size_t *room, int last, void *stream) { return read_up_to(line, room, last, opened(stream)); }

static void *new_stream(void)
{
    if (__concord_any_int(0)) {
        failed();
        return 0;
    }
    struct __concord_stream *made = __concord_new_stream(sizeof *made);
    made->mark = OPEN;
    made->pushed = -1;
    made->ended = 0;
    made->writes = 0;
    made->own = 0;
    return made;
}
/* Only these begin a mode; glibc refuses others. */
static int is_mode(const char *mode)
{
    if (mode[0] == 'r' || mode[0] == 'w' || mode[0] == 'a')
        return 1;
    failed_with(22);
    return 0;
}
/* What the program writes to a file it may read from it, or once it is closed from another stream. */
static void *with_mode(struct __concord_stream *used, const char *mode)
{
    size_t length = __concord_text(mode, -1);
    int updates = 0;
    for (size_t i = 1; i < length; i++)
        updates |= mode[i] == '+';
    if (used) {
        used->writes = mode[0] != 'r' || updates;
        used->own = updates || has_written;
    }
    return used;
}
//! fopen, fopen64: opens a file
void *fopen(const char *path, const char *mode)
{
    __concord_text(path, -1);
    if (!is_mode(mode))
        return 0;
    return with_mode(new_stream(), mode);
}
void *fopen64(const char *path, const char *mode) { return fopen(path, mode); }
//! fdopen: opens a stream for a file descriptor
void *fdopen(int number, const char *mode)
{
    if (!is_mode(mode))
        return 0;
    if (number < 0) {
        failed_with(9);
        return 0;
    }
    return with_mode(new_stream(), mode);
}
//! tmpfile: opens a file that nobody else sees
void *tmpfile(void) { return with_mode(new_stream(), "w+"); }
//! popen: starts a command and opens a stream to it
void *popen(const char *command, const char *mode)
{
    __concord_text(command, -1);
    __concord_text(mode, -1);
    if (mode[0] != 'r' && mode[0] != 'w') {
        failed_with(22);
        return 0;
    }
    return new_stream();
}

static void close_stream(struct __concord_stream *used)
{
    used->mark = CLOSED;
    has_written |= used->writes;
}
//! fclose: closes a stream, which must not be used any more
int fclose(void *stream)
{
    close_stream(opened(stream));
    return done();
}
//! pclose: closes a stream of `popen` and waits for the command
int pclose(void *stream)
{
    close_stream(opened(stream));
    return __concord_any_int(0);
}
//! freopen: opens another file in place of a stream's
void *freopen(const char *path, const char *mode, void *stream)
{
    struct __concord_stream *used = opened(stream);
    if (path)
        __concord_text(path, -1);
    with_mode(used, mode);
    set_pushed(used, -1);
    set_ended(used, 0);
    if (!is_mode(mode) || __concord_any_int(0)) {
        failed();
        close_stream(used);
        return 0;
    }
    return stream;
}

//! feof: is the end of the stream seen?
int feof(void *stream) { return ended(opened(stream)) ? 1 : 0; }
//! ferror: did anything go wrong on the stream?
int ferror(void *stream)
{
    opened(stream);
    return __concord_some_int(0) ? 1 : 0;
}
//! clearerr: forgets that the end was seen or that anything went wrong
void clearerr(void *stream) { set_ended(opened(stream), 0); }

static void move(struct __concord_stream *used)
{
    set_pushed(used, -1);
    set_ended(used, 0);
}
//! fseek, fseeko: goes to a place in the file
int fseek(void *stream, long offset, int from)
{
    struct __concord_stream *used = opened(stream);
    if (from < 0 || from > 4)
        return -1;
    move(used);
    return done();
}
int fseeko(void *stream, long offset, int from)
{
    struct __concord_stream *used = opened(stream);
    if (from < 0 || from > 4)
        return -1;
    move(used);
    return done();
}
//! rewind: goes to the beginning of the file
void rewind(void *stream) { move(opened(stream)); }
//! ftell, ftello: the place in the file, or -1
long ftell(void *stream)
{
    opened(stream);
    long at = __concord_some_long(0);
    __VERIFIER_assume(at >= -1);
    return at;
}
long ftello(void *stream)
{
    opened(stream);
    long at = __concord_some_long(0);
    __VERIFIER_assume(at >= -1);
    return at;
}
//! fileno: the descriptor of a stream
int fileno(void *stream)
{
    opened(stream);
    if (stream == &__concord_stdin)
        return 0;
    if (stream == &__concord_stdout)
        return 1;
    if (stream == &__concord_stderr)
        return 2;
    int number = __concord_some_int(3);
    __VERIFIER_assume(number >= -1);
    return number;
}
//! setvbuf: chooses how a stream is buffered
int setvbuf(void *stream, char *buffer, int mode, size_t size)
{
    opened(stream);
    if (buffer)
        __concord_unknown("a stream that buffers in an array of the program");
    if (mode < 0 || mode > 2)
        return -1;
    return done();
}
//! setbuf: chooses how a stream is buffered
void setbuf(void *stream, char *buffer)
{
    opened(stream);
    if (buffer)
        __concord_unknown("a stream that buffers in an array of the program");
}
//! remove: deletes a file
int remove(const char *path)
{
    __concord_text(path, -1);
    return done();
}
//! rename: gives a file another name
int rename(const char *from, const char *to)
{
    __concord_text(from, -1);
    __concord_text(to, -1);
    return done();
}

/* The same without a lock, which says nothing here. */
//! getc_unlocked, fgetc_unlocked: reads a character
int getc_unlocked(void *stream) { return read_one(opened(stream)); }
int fgetc_unlocked(void *stream) { return read_one(opened(stream)); }
//! putc_unlocked, fputc_unlocked: writes a character
int putc_unlocked(int c, void *stream) { return putc(c, stream); }
int fputc_unlocked(int c, void *stream) { return putc(c, stream); }
//! fputs_unlocked: writes a string
int fputs_unlocked(const char *text, void *stream) { return fputs(text, stream); }
//! fgets_unlocked: reads a line
char *fgets_unlocked(char *buffer, int size, void *stream) { return fgets(buffer, size, stream); }
//! fread_unlocked: reads bytes
size_t fread_unlocked(void *to, size_t size, size_t count, void *stream) { return fread(to, size, count, stream); }
//! fwrite_unlocked: writes bytes
size_t fwrite_unlocked(const void *from, size_t size, size_t count, void *stream) { return fwrite(from, size, count, stream); }
//! fflush_unlocked: writes what is buffered
int fflush_unlocked(void *stream) { return fflush(stream); }
//! feof_unlocked: is the end of the stream seen?
int feof_unlocked(void *stream) { return ended(opened(stream)) ? 1 : 0; }
//! ferror_unlocked: did anything go wrong on the stream?
int ferror_unlocked(void *stream) { return ferror(stream); }
//! clearerr_unlocked: forgets that the end was seen or that anything went wrong
void clearerr_unlocked(void *stream) { clearerr(stream); }
//! fileno_unlocked: the descriptor of a stream
int fileno_unlocked(void *stream) { return fileno(stream); }
//! flockfile, funlockfile: keeps other threads from a stream
void flockfile(void *stream) { opened(stream); }
void funlockfile(void *stream) { opened(stream); }
//! tmpnam: a name that no file has, in an array of 20 bytes
char *tmpnam(char *buffer)
{
    static char own[20];
    char *to = buffer ? buffer : own;
    if (__concord_any_int(0))
        return 0;
    size_t length = (size_t)(unsigned)__concord_some_int(14);
    __VERIFIER_assume(length > 0 && length < 20);
    __concord_writable(to, length + 1);
    for (size_t i = 0; i < length; i++) {
        char c = (char)__concord_some_int('x');
        __VERIFIER_assume(c != 0);
        to[i] = c;
    }
    to[length] = 0;
    return to;
}
