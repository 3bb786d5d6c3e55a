int f(int x)
{
    if (x)
        return 1;
}
int main(void)
{
    f(0);
    int y = f(0); // UNDEFINED missing-return-value
    return y;
}
