/* Models of bit-counting builtins. */
int __builtin_popcountll(unsigned long long value)
{
    int count = 0;
    while (value) {
        value &= value - 1;
        count++;
    }
    return count;
}
int __builtin_popcountl(unsigned long value) { return __builtin_popcountll(value); }
int __builtin_popcount(unsigned value) { return __builtin_popcountll(value); }
int __builtin_parityll(unsigned long long value) { return __builtin_popcountll(value) & 1; }
int __builtin_parityl(unsigned long value) { return __builtin_popcountll(value) & 1; }
int __builtin_parity(unsigned value) { return __builtin_popcountll(value) & 1; }

static int trailing_zeros(unsigned long long value)
{
    int count = 0;
    if (!value)
        __builtin_unreachable();
    while (!(value & 1)) {
        value >>= 1;
        count++;
    }
    return count;
}
int __builtin_ctz(unsigned value) { return trailing_zeros(value); }
int __builtin_ctzl(unsigned long value) { return trailing_zeros(value); }
int __builtin_ctzll(unsigned long long value) { return trailing_zeros(value); }

static int leading_zeros(unsigned long long value, int width)
{
    int count = width;
    if (!value)
        __builtin_unreachable();
    while (value) {
        value >>= 1;
        count--;
    }
    return count;
}
int __builtin_clz(unsigned value) { return leading_zeros(value, sizeof(value) * 8); }
int __builtin_clzl(unsigned long value) { return leading_zeros(value, sizeof(value) * 8); }
int __builtin_clzll(unsigned long long value) { return leading_zeros(value, sizeof(value) * 8); }

int __builtin_ffsll(long long value) { return value ? trailing_zeros(value) + 1 : 0; }
int __builtin_ffsl(long value) { return value ? trailing_zeros(value) + 1 : 0; }
int __builtin_ffs(int value) { return value ? trailing_zeros(value) + 1 : 0; }
int ffsll(long long value) { return __builtin_ffsll(value); }
int ffsl(long value) { return __builtin_ffsl(value); }
int ffs(int value) { return __builtin_ffs(value); }

unsigned short __builtin_bswap16(unsigned short value) { return value >> 8 | value << 8; }
unsigned __builtin_bswap32(unsigned value)
{
    return value >> 24 | (value >> 8 & 0xff00) | (value << 8 & 0xff0000) | value << 24;
}
unsigned long long __builtin_bswap64(unsigned long long value)
{
    return (unsigned long long)__builtin_bswap32((unsigned)value) << 32 | __builtin_bswap32((unsigned)(value >> 32));
}
unsigned __int128 __builtin_bswap128(unsigned __int128 value)
{
    return (unsigned __int128)__builtin_bswap64((unsigned long long)value) << 64 |
           __builtin_bswap64((unsigned long long)(value >> 64));
}

/* Leading bits that only repeat the sign. */
static int redundant_signs(long long value, int width)
{
    unsigned long long magnitude = value < 0 ? ~value : value;
    return magnitude ? leading_zeros(magnitude, width) - 1 : width - 1;
}
int __builtin_clrsb(int value) { return redundant_signs(value, sizeof(value) * 8); }
int __builtin_clrsbl(long value) { return redundant_signs(value, sizeof(value) * 8); }
int __builtin_clrsbll(long long value) { return redundant_signs(value, sizeof(value) * 8); }
