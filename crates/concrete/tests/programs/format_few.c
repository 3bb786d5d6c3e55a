#include <stdio.h>
int main(void)
{
    printf("%d %d\n", 3); // UNDEFINED format-arguments
    return 0;
}
