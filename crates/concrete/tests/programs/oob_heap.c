#include <stdlib.h>
int main(void)
{
    int *p = malloc(3 * sizeof *p);
    for (int i = 0; i <= 3; i++)
        p[i] = i; // UNDEFINED out-of-bounds
    return 0;
}
// MESSAGE just past the end of the block allocated by `malloc` (12 bytes)
