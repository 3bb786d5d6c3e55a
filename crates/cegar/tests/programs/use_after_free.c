// UNDECIDED! undefined behaviour on every run: must never become HOLDS
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);
int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    free(p);
    if (*p != 1)
        reach_error();
    return 0;
}
