#include <stdio.h>
#include <math.h>
#include <float.h>
int main(void)
{
    volatile double z = 0.0, one = 1.0, t = 0.1;
    volatile float ft = 0.1f;
    volatile long double lt = 0.1L;
    printf("%.17g %.17g %.9g %.9g %.21Lg\n", t * 3, one / 3, ft * 3, (float)t, lt * 3);
    printf("%f %f %f %f\n", z / z, -(z / z), one / z, -one / z);
    printf("%d %d %d %d\n", z / z == z / z, z / z != z / z, -z == z, 1 / -z < 0);
    printf("%.17g %.17g %.20Lg\n", (double)ft, (double)lt, (long double)t);
    printf("%d %u %lld %d\n", (int)-2.9, (unsigned)3.99f, (long long)-1e15, (char)65.5);
    printf("%.9g %.17g %.9g\n", (float)16777217, (double)0xffffffffffffffffULL, (float)-9007199254740993LL);
    printf("%.21Lg %Lf\n", (long double)0xffffffffffffffffULL, (long double)-5);
    printf("%g %g %g %g\n", sqrt(2.0), floor(-2.5), ceil(-2.5), trunc(-2.5));
    printf("%g %g %g %g\n", round(2.5), rint(2.5), rint(3.5), fmod(-7.5, 2));
    printf("%.17g %.17g %.17g %.17g\n", sin(1.0), exp(1.5), pow(2, 0.5), log(10.0));
    printf("%.9g %.9g %.9g\n", sinf(1.0f), sqrtf(3.0f), powf(2.0f, 0.3f));
    printf("%.20Lg %.20Lg %Lg\n", sqrtl(2.0L), fmodl(10.5L, 3.0L), floorl(-1.5L));
    printf("%g %g %g %g\n", fmin(1, z / z), fmax(-z, z), copysign(3, -z), fdim(3, 1));
    printf("%g %g %g\n", fmin(z, -z), fmin(-z, z), fmax(z, -z));
    printf("%d %d %d %d\n", isnan(z / z) != 0, isinf(-one / z) != 0, signbit(-z) != 0, isfinite(t) != 0);
    printf("%a %a %a %La %a\n", t, -one, z, lt, 5e-324);
    printf("%.3a %.0a %.1La %A\n", t, 1.9, lt, 255.5);
    printf("%g %g %g\n", DBL_MAX * 2, DBL_MIN / 4, 5e-324 / 2);
    printf("%.0f %.0f %.0f %.1f %.2e\n", 0.5, 1.5, 2.5, 0.25, 1.005);
    double s = 0;
    for (int i = 1; i <= 1000; i++)
        s += 1.0 / i * (i % 2 ? 1 : -1);
    printf("%.17g\n", s);
    float fs = 0;
    for (int i = 0; i < 1000; i++)
        fs += 0.1f;
    printf("%.9g\n", fs);
    long double ls = 0;
    for (int i = 1; i < 100; i++)
        ls += 1.0L / i;
    printf("%.21Lg %d %d\n", ls, ls > 5.17L, (int)ls);
    __float128 q = 1;
    q /= 3;
    printf("%.25Lg %d\n", (long double)q, q * 3 == 1);
    return 0;
}
// GCC
