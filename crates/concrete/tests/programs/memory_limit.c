#include <stdlib.h>
int main(void)
{
    for (;;)
        malloc(1000);
}
// MEMORY 100000
// LIMIT more memory than allowed
