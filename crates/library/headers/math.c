/* math.h. What is built in, engines compute exactly, or by its range and special values (`sin` and its like). The rest is said in C. `errno` is left alone. */
//! fabs, fabsf, fabsl (built in): the absolute value
//! sqrt, sqrtf, sqrtl, cbrt, cbrtf, cbrtl, hypot, hypotf, hypotl (built in): roots
//! floor, floorf, floorl, ceil, ceilf, ceill, trunc, truncf, truncl (built in): rounding to whole numbers
//! round, roundf, roundl, rint, rintf, rintl, nearbyint, nearbyintf, nearbyintl (built in): rounding to the nearest whole number
//! fmod, fmodf, fmodl, remainder, remainderf, remainderl (built in): remainders
//! fmin, fminf, fminl, fmax, fmaxf, fmaxl, fdim, fdimf, fdiml (built in): the lesser, the greater, the positive difference
//! copysign, copysignf, copysignl (built in): the magnitude of one number with the sign of another
//! fma, fmaf, fmal (built in): multiplication and addition with one rounding
//! nextafter, nextafterf, nextafterl (built in): the next number in the direction of another
//! pow, powf, powl, exp, expf, expl (built in): powers
//! log, logf, logl, log2, log2f, log2l, log10, log10f, log10l (built in): logarithms
//! sin, sinf, sinl, cos, cosf, cosl, tan, tanf, tanl (built in): trigonometry
//! asin, asinf, asinl, acos, acosf, acosl, atan, atanf, atanl, atan2, atan2f, atan2l (built in): inverse trigonometry
//! sinh, sinhf, sinhl, cosh, coshf, coshl, tanh, tanhf, tanhl (built in): hyperbolic functions
//! isnan, __isnan, isinf, __isinf, finite, __finite, signbit, __signbit, __fpclassify (built in): classification

double trunc(double);
float truncf(float);
long double truncl(long double);
double round(double);
long double roundl(long double);
double rint(double);
float rintf(float);
long double rintl(long double);
double copysign(double, double);
float copysignf(float, float);
long double copysignl(long double, long double);
double nextafter(double, double);
float nextafterf(float, float);

union __concord_double { double value; unsigned long long bits; };

/* Whole numbers that the result does not hold: one value that nobody knows. */
static long as_long(long double whole)
{
    long double limit = sizeof(long) == 8 ? 9223372036854775808.0l : 2147483648.0l;
    if (whole >= -limit && whole < limit)
        return (long)whole;
    return __concord_some_long((long)(1ul << (8 * sizeof(long) - 1)));
}
static long long as_long_long(long double whole)
{
    if (whole >= -9223372036854775808.0l && whole < 9223372036854775808.0l)
        return (long long)whole;
    unsigned long long high = (unsigned)__concord_some_int(-2147483647 - 1), low = (unsigned)__concord_some_int(0);
    return (long long)(high << 32 | low);
}
//! lround: the nearest whole number, halves away from zero; what does not fit gives no known number
long lround(double x) { return as_long(round(x)); }
//! lroundf: the nearest whole number, halves away from zero; what does not fit gives no known number
long lroundf(float x) { return as_long(round(x)); }
//! lroundl: the nearest whole number, halves away from zero; what does not fit gives no known number
long lroundl(long double x) { return as_long(roundl(x)); }
//! llround: the nearest whole number, halves away from zero; what does not fit gives no known number
long long llround(double x) { return as_long_long(round(x)); }
//! llroundf: the nearest whole number, halves away from zero; what does not fit gives no known number
long long llroundf(float x) { return as_long_long(round(x)); }
//! llroundl: the nearest whole number, halves away from zero; what does not fit gives no known number
long long llroundl(long double x) { return as_long_long(roundl(x)); }
//! lrint: the nearest whole number, halves to even; what does not fit gives no known number
long lrint(double x) { return as_long(rint(x)); }
//! lrintf: the nearest whole number, halves to even; what does not fit gives no known number
long lrintf(float x) { return as_long(rint(x)); }
//! lrintl: the nearest whole number, halves to even; what does not fit gives no known number
long lrintl(long double x) { return as_long(rintl(x)); }
//! llrint: the nearest whole number, halves to even; what does not fit gives no known number
long long llrint(double x) { return as_long_long(rint(x)); }
//! llrintf: the nearest whole number, halves to even; what does not fit gives no known number
long long llrintf(float x) { return as_long_long(rint(x)); }
//! llrintl: the nearest whole number, halves to even; what does not fit gives no known number
long long llrintl(long double x) { return as_long_long(rintl(x)); }
//! roundeven: the nearest whole number, halves to even
double roundeven(double x) { return rint(x); }
//! roundevenf: the nearest whole number, halves to even
float roundevenf(float x) { return rintf(x); }

//! modf: whole and fractional part, both with the sign of the number
double modf(double x, double *whole)
{
    __concord_writable(whole, sizeof *whole);
    double part = trunc(x), rest = x - part;
    *whole = part;
    return copysign(x == x && rest != rest ? 0 : rest, x);
}
//! modff: whole and fractional part, both with the sign of the number
float modff(float x, float *whole)
{
    __concord_writable(whole, sizeof *whole);
    float part = truncf(x), rest = x - part;
    *whole = part;
    return copysignf(x == x && rest != rest ? 0 : rest, x);
}
//! modfl: whole and fractional part, both with the sign of the number
long double modfl(long double x, long double *whole)
{
    __concord_writable(whole, sizeof *whole);
    long double part = truncl(x), rest = x - part;
    *whole = part;
    return copysignl(x == x && rest != rest ? 0 : rest, x);
}

//! frexp: a fraction from 1/2 to 1 and a power of two; of infinity and NaN the power is not known
double frexp(double x, int *exponent)
{
    __concord_writable(exponent, sizeof *exponent);
    union __concord_double it;
    int moved = 0;
    it.value = x;
    if ((it.bits >> 52 & 2047) == 2047) {
        *exponent = __concord_some_int(0);
        return x + x;
    }
    if (x == 0) {
        *exponent = 0;
        return x;
    }
    if ((it.bits >> 52 & 2047) == 0) {
        it.value = x * 0x1p54;
        moved = 54;
    }
    *exponent = (int)(it.bits >> 52 & 2047) - 1022 - moved;
    it.bits = (it.bits & ~(2047ull << 52)) | 1022ull << 52;
    return it.value;
}
//! frexpf: a fraction from 1/2 to 1 and a power of two; of infinity and NaN the power is not known
float frexpf(float x, int *exponent) { return (float)frexp(x, exponent); }

/* Steps so chosen that a result is rounded once: below the normal numbers only the last one can be inexact. */
//! scalbn: a number times a power of two
double scalbn(double x, int power)
{
    union __concord_double factor;
    if (power > 1023) {
        x *= 0x1p1023;
        power -= 1023;
        if (power > 1023) {
            x *= 0x1p1023;
            power -= 1023;
            if (power > 1023)
                power = 1023;
        }
    } else if (power < -1022) {
        x *= 0x1p-969;
        power += 969;
        if (power < -1022) {
            x *= 0x1p-969;
            power += 969;
            if (power < -1022)
                power = -1022;
        }
    }
    factor.bits = (unsigned long long)(1023 + power) << 52;
    return x * factor.value;
}
//! scalbnf: a number times a power of two
float scalbnf(float x, int power) { return (float)scalbn(x, power); }
//! ldexp: a number times a power of two
double ldexp(double x, int power) { return scalbn(x, power); }
//! ldexpf: a number times a power of two
float ldexpf(float x, int power) { return (float)scalbn(x, power); }
//! scalbln: a number times a power of two
double scalbln(double x, long power) { return scalbn(x, power > 9999 ? 9999 : power < -9999 ? -9999 : (int)power); }

//! ilogb: the power of two in a number; of zero and NaN, and of infinity, what glibc gives
int ilogb(double x)
{
    union __concord_double it;
    it.value = x;
    if ((it.bits >> 52 & 2047) == 2047)
        return x == x ? 2147483647 : -2147483647 - 1;
    if (x == 0)
        return -2147483647 - 1;
    if ((it.bits >> 52 & 2047) == 0) {
        it.value = x * 0x1p54;
        return (int)(it.bits >> 52 & 2047) - 1023 - 54;
    }
    return (int)(it.bits >> 52 & 2047) - 1023;
}
//! logb: the power of two in a number, as a float
double logb(double x)
{
    if (x - x != 0)
        return x * x;
    if (x == 0)
        return -1 / (x * x);
    return ilogb(x);
}
//! nexttoward: the next number in the direction of another
double nexttoward(double x, long double y)
{
    if (x != x || y != y)
        return (double)(x + y);
    if (x == y)
        return (double)y;
    return nextafter(x, x < y ? __builtin_inf() : -__builtin_inf());
}
