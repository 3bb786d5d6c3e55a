#include <stdlib.h>
int main(void)
{
    char *p = malloc(3);
    char *q = p;
    free(p);
    free(q); // UNDEFINED double-free
    return 0;
}
