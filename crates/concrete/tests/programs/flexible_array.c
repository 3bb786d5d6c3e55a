#include <stdlib.h>
#include <stdio.h>
struct s { int n; char tail[]; };
static struct s fixed = {3, {'a', 'b', 'c'}};
int main(void)
{
    struct s *s = malloc(sizeof *s + 4);
    s->n = 4;
    for (int i = 0; i < 4; i++)
        s->tail[i] = 'w' + i;
    printf("%.4s %.3s %d\n", s->tail, fixed.tail, (int)sizeof fixed);
    free(s);
    return 0;
}
// GCC
// OUTPUT wxyz abc 4
