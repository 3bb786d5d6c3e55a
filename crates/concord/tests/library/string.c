#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);
//= VIOLATED --checks all | `strcpy(out, text)` needs 6 writable bytes at the variable `out`, which has 4
static char out[4];
static void copy(const char *text)
{
    strcpy(out, text); /* here */
}
int main(void)
{
    copy("hello");
    return 0;
}
//= HOLDS --checks all
static char out[6];
int main(void)
{
    strcpy(out, "hello");
    assert(out[4] == 'o' && out[5] == 0);
    return 0;
}
//= VIOLATED --checks all | overlap
int main(void)
{
    char b[8] = "abcdef";
    strcpy(b + 1, b + 3); /* here */
    return 0;
}
//= VIOLATED --checks all | overlap
int main(void)
{
    char b[8] = "abc";
    strcpy(b, b); /* here */
    return 0;
}
//= UNDECIDED
int main(void)
{
    char b[8] = "abc";
    strcpy(b, b);
    assert(b[0] == 'a');
    return 0;
}
//= VIOLATED --checks pointer
int main(void)
{
    strcpy("abc", "x"); /* here */
    return 0;
}
//= VIOLATED --checks pointer
int main(void)
{
    char *p = 0;
    return (int)strlen(p); /* here */
}
//= VIOLATED --checks use-after-free
int main(void)
{
    char *p = malloc(4);
    p[0] = 0;
    free(p);
    return (int)strlen(p); /* here */
}
//= VIOLATED --checks bounds | `memcmp(a, "xbcdefgh", 8)` needs 8 readable bytes
int main(void)
{
    char a[4] = "abc";
    return memcmp(a, "xbcdefgh", 8) > 0; /* here */
}
//= HOLDS --checks all
int main(void)
{
    char a[4] = "abc";
    assert(memcmp(a, "abd", 4) < 0 && memcmp(a, "abc", 4) == 0);
    return 0;
}
//= VIOLATED
int main(void)
{
    char a[2] = { __VERIFIER_nondet_char(), 0 };
    int order = strcmp(a, "m");
    assert(order >= -1 && order <= 1); /* here */
    return 0;
}
//= HOLDS
int main(void)
{
    char a[2] = { __VERIFIER_nondet_char(), 0 };
    int order = strcmp(a, "m");
    assert((order == 0) == (a[0] == 'm'));
    assert(strncmp(a, "m", 0) == 0);
    return 0;
}
//= VIOLATED
int main(void)
{
    assert(strcasecmp("ABC", "abd") == -1); /* here */
    return 0;
}
//= HOLDS
int main(void)
{
    assert(strcasecmp("ABC", "abd") < 0 && strcasecmp("aBC", "AbC") == 0);
    return 0;
}
//= VIOLATED --checks bounds | `strncpy(b, "x", 5)` needs 5 writable bytes
int main(void)
{
    char b[4];
    strncpy(b, "x", 5); /* here */
    return 0;
}
//= HOLDS --checks bounds,pointer
int main(void)
{
    char b[4];
    strncpy(b, "xy", 4);
    assert(b[1] == 'y' && b[2] == 0 && b[3] == 0);
    return 0;
}
//= VIOLATED --checks bounds | `strcat(b, "cd")` needs 3 writable bytes at offset 2
int main(void)
{
    char b[4] = "ab";
    strcat(b, "cd"); /* here */
    return 0;
}
//= HOLDS --checks bounds,pointer
int main(void)
{
    char b[6] = "ab";
    strncat(b, "cdefgh", 3);
    assert(strcmp(b, "abcde") == 0);
    return 0;
}
//= VIOLATED --checks bounds
int main(void)
{
    char b[3] = { 'a', 'b', 'c' };
    return (int)strlen(b); /* here */
}
//= VIOLATED --checks bounds | `memcpy(b, a, n)` needs
int main(void)
{
    char a[8] = { 0 }, b[4];
    unsigned n = __VERIFIER_nondet_uint();
    if (n > 5)
        return 0;
    memcpy(b, a, n); /* here */
    return 0;
}
//= VIOLATED --checks pointer | overlap
int main(void)
{
    char b[8] = "abcdefg";
    memcpy(b, b + 2, 3); /* here */
    return 0;
}
//= HOLDS --checks bounds,pointer
int main(void)
{
    char b[8] = "abcdefg";
    memmove(b, b + 2, 3);
    memcpy(b + 4, b + 4, 3);
    memcpy(b, 0, 0);
    assert(b[0] == 'c' && b[2] == 'e');
    return 0;
}
//= VIOLATED --checks bounds
int main(void)
{
    int a[2];
    memset(a, 0, 3 * sizeof *a); /* here */
    return 0;
}
//= VIOLATED --checks library | no string to cut
int main(void)
{
    return strtok(0, " ") != 0; /* here */
}
//= HOLDS --checks bounds,pointer,library
int main(void)
{
    char b[] = "a bc";
    char *one = strtok(b, " ");
    char *two = strtok(0, " ");
    assert(one == b && two == b + 2 && b[1] == 0 && !strtok(0, " ") && !strtok(0, " "));
    return 0;
}
//= HOLDS --checks bounds,pointer
int main(void)
{
    char b[] = "a,,b";
    char *rest = b;
    assert(strsep(&rest, ",") == b && strsep(&rest, ",") == b + 2 && strsep(&rest, ",") == b + 3 && !rest);
    return 0;
}
//= HOLDS --checks bounds,pointer
int main(void)
{
    char b[5] = "abcb";
    assert(strchr(b, 'b') == b + 1 && strrchr(b, 'b') == b + 3 && !strchr(b, 'x') && strchr(b, 0) == b + 4);
    assert(memchr(b, 'c', 99) == b + 2 && memrchr(b, 'a', 4) == b);
    return 0;
}
