#include <stdlib.h>
#include <stdio.h>
int main(void)
{
    fprintf(stderr, "no\n");
    abort(); // ABORTED
}
// GCC
