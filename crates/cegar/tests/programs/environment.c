// UNDECIDED
extern char *getenv(const char *name);
extern void reach_error(void);
int main(void)
{
    char *home = getenv("HOME");
    if (home && home[0] != '/')
        reach_error();
    return 0;
}
