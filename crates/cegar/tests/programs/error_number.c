// UNDECIDED: printing may set errno
extern int *__errno_location(void);
extern int printf(const char *format, ...);
extern void reach_error(void);
int main(void)
{
    *__errno_location() = 0;
    printf("ready\n");
    if (*__errno_location() != 0)
        reach_error();
    return 0;
}
