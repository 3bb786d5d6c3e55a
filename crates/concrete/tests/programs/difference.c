int main(void)
{
    int a[2] = {0}, b[2] = {0};
    return &a[0] - &b[0]; // UNDEFINED unrelated-pointers
}
