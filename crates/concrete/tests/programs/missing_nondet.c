int outside(int);
extern int elsewhere;
int main(void)
{
    return outside(3) + outside(4) + elsewhere;
}
// NONDET
// INPUTS 5 6 1
// EXIT 12
