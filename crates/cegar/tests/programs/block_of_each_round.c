// VIOLATED
void *malloc(unsigned long);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    int *before = 0, *now = 0;
    for (int i = 0; i < 3; i++) {
        before = now;
        now = malloc(40);
        if (!now)
            return 0;
        for (int j = 0; j < 10; j++)
            now[j] = i;
    }
    if (before != 0 && before[9] != now[9])
        reach_error();
    return 0;
}
