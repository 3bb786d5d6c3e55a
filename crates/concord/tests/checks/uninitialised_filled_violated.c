// uninitialised VIOLATED
// The last byte is left out, and read by the function that gets the buffer.
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
    for (int i = 0; i < 5; i++)
        bytes[i] = __VERIFIER_nondet_uchar();
    return sum(bytes, 6) > 100;
}
