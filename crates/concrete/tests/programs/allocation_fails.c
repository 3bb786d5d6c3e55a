#include <stdlib.h>
int main(void)
{
    int n = 0;
    for (int i = 0; i < 4; i++) {
        void *p = malloc(4);
        if (!p)
            n++;
        free(p);
    }
    return n;
}
// FAILING
// INPUTS 1 0 1 0
// EXIT 2
