// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int greatest(const int *of, int count)
{
    int found = of[0];
    for (int i = 1; i < count; i++)
        if (of[i] > found)
            found = of[i];
    return found;
}
int main(void)
{
    int numbers[3000], most;
    for (int i = 0; i < 3000; i++)
        numbers[i] = __VERIFIER_nondet_int();
    most = greatest(numbers, 3000);
    for (int i = 0; i < 3000; i++)
        if (numbers[i] > most)
            reach_error();
    return 0;
}
