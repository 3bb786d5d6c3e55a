// VIOLATED
extern void reach_error(void);
int main(void)
{
    int never_written;
    char bytes[8];
    if (never_written != 0 && bytes[3] != 0)
        reach_error();
    return 0;
}
