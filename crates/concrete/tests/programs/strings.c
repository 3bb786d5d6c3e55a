#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <ctype.h>
static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}
int main(void)
{
    char *words[] = {"pear", "apple", "fig", "banana"};
    qsort(words, 4, sizeof *words, compare);
    for (int i = 0; i < 4; i++)
        printf("%s ", words[i]);
    char buffer[40] = "x";
    strcat(strcpy(buffer + 1, "yz"), "!");
    printf("%s %zu %d\n", buffer, strlen(buffer), memcmp("abc", "abd", 3) < 0);
    char text[] = "a,b;;c";
    for (char *t = strtok(text, ",;"); t; t = strtok(0, ",;"))
        printf("[%s]", t);
    printf("%s %s %d %ld\n", strchr("hello", 'l'), strstr("hello", "lo"), atoi(" -42x"), strtol("0x1fz", 0, 0));
    for (char *p = buffer; *p; p++)
        *p = toupper((unsigned char)*p);
    char *copy = strdup(buffer);
    puts(copy);
    free(copy);
    printf("%d\n", snprintf(buffer, 4, "%s", "longer"));
    puts(buffer);
    return isdigit('7') != 0;
}
// GCC
