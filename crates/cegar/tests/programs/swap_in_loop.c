// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}
int main(void)
{
    int x = 1, y = 2;
    for (int i = 0; i < 9; i++)
        swap(&x, &y);
    if (x != 2 || y != 1)
        reach_error();
    return 0;
}
