/* Parts of what was written as a whole, and a whole that was written in parts: nothing is unwritten. */
extern unsigned __VERIFIER_nondet_uint(void);
union number {
    double value;
    struct {
        unsigned low, high;
    } parts;
};
int main(void) {
    union number one, two;
    one.value = 2.5;
    two.parts.low = one.parts.low;
    two.parts.high = one.parts.high & __VERIFIER_nondet_uint();
    return two.value > 1.0;
}
