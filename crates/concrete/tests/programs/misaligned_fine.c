int main(void)
{
    char a[8] = {1, 0, 0, 0, 2, 0, 0, 0};
    int *p = (int *)(a + 1);
    return *p >> 24; // EXIT 2
}
// GCC
