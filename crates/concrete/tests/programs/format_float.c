#include <stdio.h>
int main(void)
{
    printf("%f\n", 3); // UNDEFINED format-arguments
    return 0;
}
