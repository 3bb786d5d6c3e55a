#include <stdio.h>
int main(void)
{
    printf("%d\n", 3L); // UNDEFINED format-arguments
    return 0;
}
