#include <stdio.h>
#include <string.h>
union u { unsigned char b[8]; short s[4]; int i[2]; float f; double d; long long l; struct { unsigned lo : 12, mid : 8; int hi : 12; } bits; };
int main(void)
{
    union u u;
    u.d = -1.5;
    for (int i = 0; i < 8; i++)
        printf("%02x", u.b[i]);
    printf(" %d %d %lld %u %u %d\n", u.s[3], u.i[1], u.l, u.bits.lo, u.bits.mid, u.bits.hi);
    u.l = 0x1122334455667788LL;
    printf("%d %x %x %d\n", u.s[0], u.bits.lo, u.bits.mid, u.bits.hi);
    u.bits.hi = -3;
    u.bits.mid = 0x1ff;
    printf("%llx\n", u.l);
    u.f = 0.1f;
    printf("%x %g\n", u.i[0], u.f);
    return 0;
}
// GCC
