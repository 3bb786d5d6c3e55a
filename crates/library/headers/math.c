/* math.h. Nothing here is said in C: engines compute these functions, or take any value of the format where they do not. */
//! fabs, fabsf, fabsl (built in): the absolute value
//! sqrt, sqrtf, sqrtl, cbrt, cbrtf, cbrtl, hypot, hypotf, hypotl (built in): roots
//! floor, floorf, floorl, ceil, ceilf, ceill, trunc, truncf, truncl (built in): rounding to whole numbers
//! round, roundf, roundl, rint, rintf, rintl, nearbyint, nearbyintf, nearbyintl (built in): rounding to the nearest whole number
//! fmod, fmodf, fmodl, remainder, remainderf, remainderl (built in): remainders
//! fmin, fminf, fminl, fmax, fmaxf, fmaxl, fdim, fdimf, fdiml (built in): the lesser, the greater, the positive difference
//! copysign, copysignf, copysignl (built in): the magnitude of one number with the sign of another
//! pow, powf, powl, exp, expf, expl (built in): powers
//! log, logf, logl, log2, log2f, log2l, log10, log10f, log10l (built in): logarithms
//! sin, sinf, sinl, cos, cosf, cosl, tan, tanf, tanl (built in): trigonometry
//! asin, asinf, asinl, acos, acosf, acosl, atan, atanf, atanl, atan2, atan2f, atan2l (built in): inverse trigonometry
//! sinh, sinhf, sinhl, cosh, coshf, coshl, tanh, tanhf, tanhl (built in): hyperbolic functions
//! isnan, __isnan, isinf, __isinf, finite, __finite, signbit, __signbit, __fpclassify (built in): classification
