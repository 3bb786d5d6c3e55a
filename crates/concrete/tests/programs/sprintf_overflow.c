#include <stdio.h>
int main(void)
{
    char buffer[4];
    sprintf(buffer, "%d", 12345); // UNDEFINED out-of-bounds
    return 0;
}
