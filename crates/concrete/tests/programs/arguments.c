#include <stdio.h>
int main(int argc, char **argv, char **envp)
{
    for (int i = 1; argv[i]; i++)
        printf("%d %s\n", i, argv[i]);
    return argc + (envp[0] == 0);
}
// ARGUMENTS one two
// OUTPUT 1 one
// OUTPUT 2 two
// EXIT 4
