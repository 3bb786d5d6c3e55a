#include <stdio.h>
int main(void)
{
    char *s = 0;
    printf("%s|%.3s|%8s|\n", s, s, s);
    return 0;
}
// CONTINUE
// EXIT 0
// OUTPUT (null)||  (null)|
