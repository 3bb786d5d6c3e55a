// HOLDS: a process number is positive and stays the same
extern int getpid(void);
extern void reach_error(void);
int main(void)
{
    if (getpid() <= 0)
        reach_error();
    return 0;
}
