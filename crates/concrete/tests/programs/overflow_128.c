int main(void)
{
    __int128 x = (__int128)1 << 126;
    x = x * 2; // UNDEFINED signed-overflow
    return x > 0;
}
