extern int elsewhere;
int main(void)
{
    return elsewhere;
}
// UNKNOWN the value of `elsewhere` is needed
