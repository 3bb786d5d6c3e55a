int sum(int *a, int n)
{
    int s = 0;
    for (int i = 0; i <= n; i++)
        s += a[i]; // UNDEFINED out-of-bounds
    return s;
}
int main(void)
{
    int a[3] = {1, 2, 3};
    return sum(a, 3);
}
