#include <stdlib.h>
struct s { short h; unsigned bits : 5; };
int main(void)
{
    int x;
    char *p = malloc(2);
    struct s s;
    __int128 wide;
    int sum = x + x + p[1] + s.h + s.bits + (int)wide;
    return sum + x + p[1];
}
// UNINITIALISED
// INPUTS 3 7 1 0 0x1f -5
// EXIT 50
