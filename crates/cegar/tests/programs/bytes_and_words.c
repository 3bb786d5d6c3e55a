// HOLDS
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);
int main(void)
{
    unsigned char bytes[2000];
    int words[2000];
    for (int i = 0; i < 2000; i++) {
        bytes[i] = __VERIFIER_nondet_uchar();
        bytes[0] = 1;
        words[i] = bytes[i] + 1;
    }
    for (int i = 0; i < 2000; i++)
        if (words[i] < 1 || words[i] > 256)
            reach_error();
    return 0;
}
