// UNDECIDED! body of read_port missing: must never become HOLDS
extern int read_port(void);
extern void reach_error(void);
int main(void)
{
    if (read_port() == 3 && 0)
        reach_error();
    return 0;
}
