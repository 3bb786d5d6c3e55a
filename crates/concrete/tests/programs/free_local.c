#include <stdlib.h>
int main(void)
{
    int x = 0;
    free(&x); // UNDEFINED invalid-free
    return x;
}
