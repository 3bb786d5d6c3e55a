#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
//= HOLDS
int main(void)
{
    assert(clock() >= -1);
    clock_t one = clock(), two = clock();
    assert(one == -1 || two == -1 || one <= two);
    return 0;
}
//= VIOLATED
int main(void)
{
    assert(clock() >= 0); /* here */
    return 0;
}
//= HOLDS
int main(void)
{
    time_t stored, given = time(&stored);
    assert(stored == given && given >= -1);
    return 0;
}
//= VIOLATED
int main(void)
{
    assert(time(0) != 12345); /* here */
    return 0;
}
//= HOLDS
int main(void)
{
    assert(getpid() > 0 && getpid() == getpid());
    assert(sleep(3) <= 3);
    return 0;
}
//= VIOLATED
int main(void)
{
    assert(sleep(3) == 0); /* here */
    return 0;
}
//= VIOLATED --checks pointer
int main(void)
{
    char *home = getenv("HOME");
    return home[0] == '/'; /* here */
}
//= UNDECIDED --checks pointer
int main(void)
{
    char *home = getenv("HOME");
    return home && home[0] == '/';
}
//= VIOLATED --checks bounds | needs 9 readable bytes
int main(void)
{
    return (int)write(1, "12345678", 10 - 1) + (int)write(1, "1234567", 9); /* here */
}
//= HOLDS --checks bounds
int main(void)
{
    char b[4];
    long got = read(0, b, sizeof b);
    assert(got <= 4);
    return 0;
}
//= HOLDS
int main(void)
{
    assert(setvbuf(stdout, 0, 77, 0) != 0);
    FILE *file = tmpfile();
    assert(!file || fseek(file, 0, 99) != 0);
    return 0;
}
