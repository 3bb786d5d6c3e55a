#include <assert.h>
void reach_error() { assert(0); }
int main(void)
{
    reach_error();
}
// ERROR reach_error
