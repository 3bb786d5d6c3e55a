/* unistd.h. */
unsigned long __VERIFIER_nondet_ulong(void);

/* The descriptors that the program closed. Whether one of them was opened again is not followed. */
static unsigned long closed;

/* May a descriptor be one? Those that nobody closed may have been open from the beginning. */
static int may_be_open(int descriptor)
{
    if (descriptor < 0)
        return 0;
    if (closed && (descriptor > 31 || (closed >> descriptor & 1)))
        return __concord_some_int(0) != 0;
    return 1;
}

//! sleep: waits some seconds; those left where a signal comes
unsigned sleep(unsigned seconds)
{
    unsigned left = (unsigned)__concord_any_int(0);
    __VERIFIER_assume(left <= seconds);
    return left;
}

//! usleep: waits some microseconds; -1 where a signal comes
int usleep(unsigned microseconds)
{
    (void)microseconds;
    return __concord_any_int(0) ? failed() : 0;
}

//! getpid: the number of the process, always the same
int getpid(void)
{
    static int own;
    if (!own) {
        own = __VERIFIER_nondet_int();
        __VERIFIER_assume(own > 0 && own <= 4194304);
    }
    return own;
}

//! getppid: the number of the process that started this one, which may change
int getppid(void)
{
    int parent = __VERIFIER_nondet_int();
    __VERIFIER_assume(parent >= 0 && parent <= 4194304);
    return parent;
}

//! isatty: whether a descriptor is a terminal
int isatty(int descriptor)
{
    if (!may_be_open(descriptor)) {
        failed_with(9);
        return 0;
    }
    if (__VERIFIER_nondet_int())
        return 1;
    failed();
    return 0;
}

//! close: ends a descriptor; 0, or -1
int close(int descriptor)
{
    if (!may_be_open(descriptor))
        return failed_with(9);
    closed |= 1ul << (descriptor & 31);
    return __VERIFIER_nondet_int() ? failed() : 0;
}

//! write: writes bytes, which must be readable; how many were written, or -1
long write(int descriptor, const void *from, size_t count)
{
    __concord_readable(from, count);
    if (!may_be_open(descriptor))
        return failed_with(9);
    long done = __VERIFIER_nondet_long();
    __VERIFIER_assume(done >= -1 && (done < 0 || (size_t)done <= count));
    return done < 0 ? failed() : done;
}

//! read: reads bytes from a descriptor; how many were read, or -1
long read(int descriptor, void *to, size_t count)
{
    if (!may_be_open(descriptor))
        return failed_with(9);
    long done = __VERIFIER_nondet_long();
    __VERIFIER_assume(done >= -1 && (done < 0 || (size_t)done <= count));
    if (done < 0)
        return failed();
    __concord_writable(to, (size_t)done);
    for (long i = 0; i < done; i++)
        ((char *)to)[i] = __VERIFIER_nondet_char();
    return done;
}

/* Reads a string. */
static void read_text(const char *text)
{
    while (*text)
        text++;
}

/* A result: zero, or -1 when the system refuses. */
static int done(void) { return __concord_any_int(0) ? failed() : 0; }

//! open, open64: opens a file; its descriptor, or -1
int open(const char *path, int flags, ...)
{
    static int has_opened;
    read_text(path);
    (void)flags;
    // The first may be any that was free; what others are depends on those that are open.
    int made = has_opened ? __concord_some_int(3) : __VERIFIER_nondet_int();
    __VERIFIER_assume(made >= -1 && made < 1048576);
    if (made < 0)
        return failed();
    has_opened = 1;
    closed &= ~(1ul << (made & 31));
    return made;
}
int open64(const char *path, int flags, ...) { return open(path, flags); }
//! creat: makes a file; its descriptor, or -1
int creat(const char *path, unsigned mode)
{
    (void)mode;
    return open(path, 0);
}
//! unlink, rmdir, chdir: does something to a file or directory; 0, or -1
int unlink(const char *path)
{
    read_text(path);
    return done();
}
int rmdir(const char *path) { return unlink(path); }
int chdir(const char *path) { return unlink(path); }
//! mkdir: makes a directory; 0, or -1
int mkdir(const char *path, unsigned mode)
{
    (void)mode;
    return unlink(path);
}
//! access: may a file be used so? 0, or -1
int access(const char *path, int how)
{
    (void)how;
    return unlink(path);
}
//! getuid, geteuid, getgid, getegid: whose process it is
static unsigned owner(int which)
{
    static _Bool is_known[4];
    static unsigned own[4];
    if (!is_known[which]) {
        own[which] = (unsigned)__VERIFIER_nondet_int();
        is_known[which] = 1;
    }
    return own[which];
}
unsigned getuid(void) { return owner(0); }
unsigned geteuid(void) { return owner(1); }
unsigned getgid(void) { return owner(2); }
unsigned getegid(void) { return owner(3); }
//! getcwd: the working directory, in an array of the program or a new block
char *getcwd(char *buffer, size_t size)
{
    if (!buffer)
        __concord_unknown("the block that holds the working directory");
    if (!size) {
        failed_with(22);
        return 0;
    }
    size_t length = __VERIFIER_nondet_ulong();
    if (length == 0 || length >= size) {
        failed();
        return 0;
    }
    __concord_writable(buffer, length + 1);
    for (size_t i = 0; i < length; i++) {
        char c = __VERIFIER_nondet_char();
        __VERIFIER_assume(c != 0);
        buffer[i] = c;
    }
    buffer[length] = 0;
    return buffer;
}
