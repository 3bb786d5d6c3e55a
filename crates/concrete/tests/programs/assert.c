#include <assert.h>
int check(int x)
{
    assert(x > 2 && "large");
    return x;
}
int main(void)
{
    return check(2);
}
// ASSERTION check: Assertion `x > 2 && "large"' failed.
// GCC
