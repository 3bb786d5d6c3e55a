#include <stdlib.h>
struct s { int n; int a[1]; };
int main(void)
{
    struct s *s = malloc(sizeof *s + 3 * sizeof(int));
    s->n = 4;
    for (int i = 0; i < 4; i++)
        s->a[i] = i * i;
    int last = s->a[3];
    free(s);
    return last; // EXIT 9
}
// GCC
