/* unistd.h. */
int *__errno_location(void);

/* Calls that may fail say why in `errno`. */
static int failed(void)
{
    int why = __VERIFIER_nondet_int();
    __VERIFIER_assume(why > 0 && why < 134);
    *__errno_location() = why;
    return -1;
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
    (void)descriptor;
    if (__VERIFIER_nondet_int())
        return 1;
    failed();
    return 0;
}

//! close: ends a descriptor; 0, or -1
int close(int descriptor)
{
    (void)descriptor;
    return __VERIFIER_nondet_int() ? failed() : 0;
}

//! write: writes bytes, which must be readable; how many were written, or -1
long write(int descriptor, const void *from, size_t count)
{
    (void)descriptor;
    __concord_readable(from, count);
    long done = __VERIFIER_nondet_long();
    __VERIFIER_assume(done >= -1 && (done < 0 || (size_t)done <= count));
    return done < 0 ? failed() : done;
}

//! read: reads bytes from a descriptor; how many were read, or -1
long read(int descriptor, void *to, size_t count)
{
    (void)descriptor;
    long done = __VERIFIER_nondet_long();
    __VERIFIER_assume(done >= -1 && (done < 0 || (size_t)done <= count));
    if (done < 0)
        return failed();
    __concord_writable(to, (size_t)done);
    for (long i = 0; i < done; i++)
        ((char *)to)[i] = __VERIFIER_nondet_char();
    return done;
}
