#include <stdio.h>
int main(void)
{
    char a[3] = {'a', 'b', 'c'};
    printf("%s\n", a); // UNDEFINED out-of-bounds
    return 0;
}
