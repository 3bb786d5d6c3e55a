#include <stdio.h>
int main(void)
{
    puts("hi");
}
// EXIT 0
// GCC
