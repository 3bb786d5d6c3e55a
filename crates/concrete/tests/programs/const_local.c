int main(void)
{
    const int a[2] = {1, 2};
    int *p = (int *)a;
    p[1] = 3; // UNDEFINED read-only-write
    return a[1];
}
