/* A lookup table for hexadecimal digits, both ways. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
static const char digits[16] = "0123456789abcdef";
static int value_of[256];
static void fill(void) {
    for (int i = 0; i < 256; i++) value_of[i] = -1;
    for (int i = 0; i < 16; i++) value_of[(unsigned char)digits[i]] = i;
}
int main(void) {
    char text[9];
    unsigned char bytes[4];
    fill();
    for (int i = 0; i < 4; i++) bytes[i] = __VERIFIER_nondet_uchar();
    for (int i = 0; i < 4; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[8] = 0;
    int sum = 0;
    for (int i = 0; text[i]; i++) {
        int value = value_of[(unsigned char)text[i]];
        if (value >= 0) sum += value << 4;
    }
    return sum > 100;
}
