#include <string.h>
int main(void)
{
    char a[6];
    memset(a, 1, 6);
    int x;
    memcpy(&x, a + 3, sizeof x); // UNDEFINED out-of-bounds
    return x;
}
