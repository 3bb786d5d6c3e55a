/* fenv.h. Rounding is to nearest: a program that changes that is not followed. Which exceptions were raised is not known. */
//! fegetround: the rounding mode, which is to nearest
int fegetround(void) { return 0; }
//! fesetround: sets the rounding mode; nothing is known past any but to nearest
int fesetround(int mode)
{
    if (mode != 0)
        __concord_unknown("the rounding mode is changed");
    return 0;
}
//! feclearexcept: clears exceptions, of which none is followed
int feclearexcept(int which) { return 0; }
//! fetestexcept: some of the exceptions asked for; which, nobody knows
int fetestexcept(int which) { return __concord_some_int(0) & which; }
