int main(void)
{
    int a[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int i = 0, j = 3;
    return a[i][j]; // UNDEFINED index-out-of-bounds
}
