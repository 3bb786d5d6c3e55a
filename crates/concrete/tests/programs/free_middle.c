#include <stdlib.h>
int main(void)
{
    char *p = malloc(8);
    free(p + 4); // UNDEFINED invalid-free
    return 0;
}
// MESSAGE 4 bytes into
