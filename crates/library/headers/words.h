/* The contract words, and the values that a description leaves open. Every file of descriptions begins with this text. */
typedef __typeof__(sizeof(0)) size_t;

/* What must hold at the call; see docs/decisions/library.md. */
void __concord_readable(const void *, size_t);
void __concord_writable(void *, size_t);
void __concord_apart(const void *, size_t, const void *, size_t);
void __concord_need(int, const char *);
void __concord_need_no_overflow(int, const char *);
void __concord_need_argument(int, const char *);
void __concord_unknown(const char *);

/* Any value: a proof covers all, a violation may rest on each. A plain run takes the usual one, which is the argument. */
int __concord_any_int(int usual);
long __concord_any_long(long usual);
_Bool __concord_any_bool(_Bool usual);
/* One value that nobody knows: a proof covers all, a violation rests on none. */
int __concord_some_int(int usual);
long __concord_some_long(long usual);

/* Values from outside: a plain run asks for them. */
int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
char __VERIFIER_nondet_char(void);
void __VERIFIER_assume(int);

/* Does the program look at `errno`? Replaced by 0 where it does not, so that nothing has to be said of why a call failed. */
enum { looks_at_errno = 1 };
int *__errno_location(void);

/* A call fails for a reason that is known. */
static int failed_with(int why)
{
    if (looks_at_errno)
        *__errno_location() = why;
    return -1;
}

/* A call fails for some reason. */
static int failed(void)
{
    if (looks_at_errno) {
        int why = __VERIFIER_nondet_int();
        __VERIFIER_assume(why > 0 && why < 134);
        *__errno_location() = why;
    }
    return -1;
}
