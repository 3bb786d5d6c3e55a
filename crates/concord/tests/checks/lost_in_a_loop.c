// lost UNDECIDED
#include <stdlib.h>
int main(void)
{
    char *block = malloc(8);
    block = 0;
    for (;;) {
    }
}
