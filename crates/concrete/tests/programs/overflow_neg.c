int main(void)
{
    int x = -2147483647 - 1;
    return -x == x; // UNDEFINED signed-overflow
}
