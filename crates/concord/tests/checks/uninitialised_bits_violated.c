// uninitialised VIOLATED
// One bit-field is written, its neighbour in the same byte is read.
extern int __VERIFIER_nondet_int(void);
struct flags { unsigned low : 3, high : 5; };
int main(void)
{
    struct flags flags;
    flags.low = __VERIFIER_nondet_int() & 7;
    return flags.high == 1;
}
