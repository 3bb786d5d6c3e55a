int main(void)
{
    int x = 1;
    x <<= 31;
    int y = -4;
    y <<= 2;
    return x == -2147483647 - 1 && y == -16; // EXIT 1
}
// GCC
