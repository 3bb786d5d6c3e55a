/* Index checks by relations between variables. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
static int find_in(const int *a, int low, int high, int x) {
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (a[middle] < x) low = middle + 1; else high = middle;
    }
    return low;
}
int main(void) {
    int a[32], n = __VERIFIER_nondet_int();
    if (n < 1 || n > 32) return 0;
    for (int i = 0; i < 32; i++) a[i] = 2 * i;
    int left = 0, right = n - 1;
    while (left < right) { int t = a[left]; a[left] = a[right]; a[right] = t; left++; right--; }
    int at = find_in(a, 0, n, __VERIFIER_nondet_int());
    assert(at >= 0 && at <= n);
    if (at < n) return a[at];
    return a[n - 1];
}
