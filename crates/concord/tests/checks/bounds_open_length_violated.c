// bounds VIOLATED
// The length of the block is one too large in some runs.
extern unsigned __VERIFIER_nondet_uint(void);
void *memcpy(void *, const void *, unsigned long);
int main(void)
{
    char from[8] = "abcdefg", to[8];
    memcpy(to, from, __VERIFIER_nondet_uint() % 10);
    return 0;
}
