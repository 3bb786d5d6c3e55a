/* Arrays filled by bounded loops, then read. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#define N 100
static int square[N];
int main(void) {
    int values[N], sums[N];
    for (int i = 0; i < N; i++) values[i] = i * 3;
    for (int i = 0; i < N; i++) square[i] = values[i] * values[i];
    sums[0] = square[0];
    for (int i = 1; i < N; i++) sums[i] = sums[i - 1] + square[i];
    int at = __VERIFIER_nondet_int();
    if (at < 0 || at >= N) return 0;
    assert(square[at] >= 0);
    return sums[at] > 0;
}
