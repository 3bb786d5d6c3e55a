// HOLDS
extern int getchar(void);
extern void reach_error(void);
int main(void)
{
    int typed = getchar();
    if (typed < -1 || typed > 255)
        reach_error();
    return 0;
}
