/* Parses numbers separated by commas from bytes that are read. */
#include <assert.h>
extern char __VERIFIER_nondet_char(void);
#define ROOM 12
static int parse(const char *text, int length, int *out, int most) {
    int count = 0, at = 0;
    while (at < length && text[at]) {
        int value = 0, digits = 0;
        while (at < length && text[at] >= '0' && text[at] <= '9' && digits < 4) {
            value = value * 10 + (text[at] - '0');
            at++; digits++;
        }
        if (!digits) return -1;
        if (count < most) out[count++] = value;
        if (at < length && text[at] == ',') at++;
        else break;
    }
    return count;
}
int main(void) {
    char text[ROOM];
    int numbers[4];
    for (int i = 0; i < ROOM - 1; i++) text[i] = __VERIFIER_nondet_char();
    text[ROOM - 1] = 0;
    int count = parse(text, ROOM, numbers, 4);
    assert(count <= 4);
    int sum = 0;
    for (int i = 0; i < count; i++) sum += numbers[i];
    assert(sum <= 40000);
    return sum;
}
