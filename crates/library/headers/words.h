/* The contract words, and the values that a function's description leaves open. Every description begins with this text. */
typedef __typeof__(sizeof(0)) size_t;

void __concord_readable(const void *, size_t);
void __concord_writable(void *, size_t);
void __concord_apart(const void *, size_t, const void *, size_t);
void __concord_need(int, const char *);
void __concord_need_no_overflow(int, const char *);
void __concord_unknown(const char *);

int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
void __VERIFIER_assume(int);
