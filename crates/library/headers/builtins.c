/* Builtins of gcc. */
//! __builtin_popcountll: the number of bits set
int __builtin_popcountll(unsigned long long value)
{
    int count = 0;
    while (value) {
        value &= value - 1;
        count++;
    }
    return count;
}
//! __builtin_popcountl: the number of bits set
int __builtin_popcountl(unsigned long value) { return __builtin_popcountll(value); }
//! __builtin_popcount: the number of bits set
int __builtin_popcount(unsigned value) { return __builtin_popcountll(value); }
//! __builtin_parityll: whether an odd number of bits is set
int __builtin_parityll(unsigned long long value) { return __builtin_popcountll(value) & 1; }
//! __builtin_parityl: whether an odd number of bits is set
int __builtin_parityl(unsigned long value) { return __builtin_popcountll(value) & 1; }
//! __builtin_parity: whether an odd number of bits is set
int __builtin_parity(unsigned value) { return __builtin_popcountll(value) & 1; }

static int trailing_zeros(unsigned long long value)
{
    int count = 0;
    __concord_need(value != 0, "there is no bit set to count to");
    while (!(value & 1)) {
        value >>= 1;
        count++;
    }
    return count;
}
//! __builtin_ctz: the zero bits below the lowest bit set; there must be one
int __builtin_ctz(unsigned value) { return trailing_zeros(value); }
//! __builtin_ctzl: the zero bits below the lowest bit set; there must be one
int __builtin_ctzl(unsigned long value) { return trailing_zeros(value); }
//! __builtin_ctzll: the zero bits below the lowest bit set; there must be one
int __builtin_ctzll(unsigned long long value) { return trailing_zeros(value); }

static int leading_zeros(unsigned long long value, int width)
{
    int count = width;
    __concord_need(value != 0, "there is no bit set to count to");
    while (value) {
        value >>= 1;
        count--;
    }
    return count;
}
//! __builtin_clz: the zero bits above the highest bit set; there must be one
int __builtin_clz(unsigned value) { return leading_zeros(value, sizeof(value) * 8); }
//! __builtin_clzl: the zero bits above the highest bit set; there must be one
int __builtin_clzl(unsigned long value) { return leading_zeros(value, sizeof(value) * 8); }
//! __builtin_clzll: the zero bits above the highest bit set; there must be one
int __builtin_clzll(unsigned long long value) { return leading_zeros(value, sizeof(value) * 8); }

//! __builtin_ffsll: one more than the place of the lowest bit set, or 0
int __builtin_ffsll(long long value) { return value ? trailing_zeros(value) + 1 : 0; }
//! __builtin_ffsl: one more than the place of the lowest bit set, or 0
int __builtin_ffsl(long value) { return value ? trailing_zeros(value) + 1 : 0; }
//! __builtin_ffs: one more than the place of the lowest bit set, or 0
int __builtin_ffs(int value) { return value ? trailing_zeros(value) + 1 : 0; }
//! ffsll: one more than the place of the lowest bit set, or 0
int ffsll(long long value) { return __builtin_ffsll(value); }
//! ffsl: one more than the place of the lowest bit set, or 0
int ffsl(long value) { return __builtin_ffsl(value); }
//! ffs: one more than the place of the lowest bit set, or 0
int ffs(int value) { return __builtin_ffs(value); }

//! __builtin_bswap16: the bytes in the other order
unsigned short __builtin_bswap16(unsigned short value) { return value >> 8 | value << 8; }
//! __builtin_bswap32: the bytes in the other order
unsigned __builtin_bswap32(unsigned value)
{
    return value >> 24 | (value >> 8 & 0xff00) | (value << 8 & 0xff0000) | value << 24;
}
//! __builtin_bswap64: the bytes in the other order
unsigned long long __builtin_bswap64(unsigned long long value)
{
    return (unsigned long long)__builtin_bswap32((unsigned)value) << 32 | __builtin_bswap32((unsigned)(value >> 32));
}

//! __builtin_alloca (built in): a block that lives until the caller returns
//! __builtin_unreachable (built in): says that control never gets here
//! __builtin_trap (built in): ends the run
//! __builtin_va_start, __builtin_va_arg, __builtin_va_end, __builtin_va_copy (built in): variable arguments
