// VIOLATED
extern unsigned sleep(unsigned seconds);
extern void reach_error(void);
int main(void)
{
    if (sleep(10) != 0)
        reach_error();
    return 0;
}
