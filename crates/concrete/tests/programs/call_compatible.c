#include <stdlib.h>
static int add(unsigned a, const char *b) { return a + *b; }
int main(void)
{
    int (*f)(int, void *) = (int (*)(int, void *))add;
    int (*g)() = (int (*)())add;
    char c = 4;
    return f(3, &c) + g(1, &c); // EXIT 12
}
// GCC
