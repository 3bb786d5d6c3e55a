// HOLDS
// Blocks whose length is an input: what lies in them is copied or filled, what does not stays as it was.
extern void reach_error(void);
void *memcpy(void *, const void *, unsigned long);
void *memmove(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
static void check(int condition)
{
    if (!condition)
        reach_error();
}
extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint() % 9, m = __VERIFIER_nondet_uint() % 5;
    char to[8] = {0}, from[8] = "abcdefg";
    int numbers[4] = {1, 2, 3, 4};
    memcpy(to, from, n);
    check(n < 2 || to[1] == 'b');
    check(n > 1 || to[1] == 0);
    memset(numbers, 0, m * sizeof *numbers);
    memmove(numbers + 1, numbers, 3 * sizeof *numbers);
    check(m < 3 || numbers[3] == 0);
    check(m != 1 || (numbers[1] == 0 && numbers[2] == 2));
    return 0;
}
