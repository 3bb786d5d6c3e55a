// VIOLATED
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);
int main(void)
{
    unsigned char x = __VERIFIER_nondet_uchar(), y = __VERIFIER_nondet_uchar();
    unsigned char sum = (unsigned char)(x + y);
    if (sum < x && y == 200)
        reach_error();
    return 0;
}
