// uninitialised HOLDS
// A buffer is filled in a loop and handed to a function: the commonest way to begin a harness.
extern unsigned char __VERIFIER_nondet_uchar(void);
static int sum(const unsigned char *bytes, int count)
{
    int total = 0;
    for (int i = 0; i < count; i++)
        total += bytes[i];
    return total;
}
int main(void)
{
    unsigned char bytes[6];
    for (int i = 0; i < 6; i++)
        bytes[i] = __VERIFIER_nondet_uchar();
    return sum(bytes, 6) > 100;
}
