// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int numbers[3000];
static int greatest(int count)
{
    int found = numbers[0];
    for (int i = 1; i < count; i++)
        if (numbers[i] > found)
            found = numbers[i];
    return found;
}
int main(void)
{
    int most;
    for (int i = 0; i < 3000; i++)
        numbers[i] = __VERIFIER_nondet_int();
    most = greatest(3000);
    for (int i = 0; i < 3000; i++)
        if (numbers[i] > most)
            reach_error();
    return 0;
}
