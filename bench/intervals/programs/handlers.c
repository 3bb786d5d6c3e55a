/* A table of function pointers. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct op { const char *name; int (*run)(int, int); int arity; };
static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int divide(int a, int b) { return b ? a / b : 0; }
static int negate(int a, int b) { (void)b; return -a; }
static const struct op ops[] = {{"add", add, 2}, {"sub", subtract, 2}, {"div", divide, 2}, {"neg", negate, 1}};
static int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
int main(void) {
    int result = 0;
    for (int i = 0; i < 100; i++) {
        int which = __VERIFIER_nondet_int();
        if (which < 0 || which >= (int)(sizeof ops / sizeof ops[0])) continue;
        int a = clamp(__VERIFIER_nondet_int(), -1000, 1000);
        int b = clamp(__VERIFIER_nondet_int(), -1000, 1000);
        result = ops[which].run(a, ops[which].arity == 2 ? b : 0);
        assert(result >= -2000 && result <= 2000);
    }
    return result;
}
