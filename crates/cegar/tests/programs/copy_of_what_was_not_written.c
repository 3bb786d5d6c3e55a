// HOLDS
// Whatever is in a record that was never written, a copy of it has the same.
extern void reach_error(void);
struct inner { int value; };
struct outer { struct inner inner; };
int main(void)
{
    struct inner one;
    struct outer two;
    two = (struct outer){one};
    if (two.inner.value != one.value)
        reach_error();
    return 0;
}
