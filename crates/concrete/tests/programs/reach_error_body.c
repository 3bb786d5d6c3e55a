#include <assert.h>
void reach_error() { assert(0); }
int main(void)
{
    reach_error();
}
// RUNBODY
// ASSERTION Assertion `0' failed.
// GCC
