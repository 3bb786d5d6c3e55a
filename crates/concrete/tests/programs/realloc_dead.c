#include <stdlib.h>
int main(void)
{
    int *p = malloc(4);
    p[0] = 7;
    int *q = realloc(p, 100);
    if (q[0] != 7)
        return 1;
    return p[0]; // UNDEFINED use-after-free
}
