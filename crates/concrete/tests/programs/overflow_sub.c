int main(void)
{
    long x = -9223372036854775807L - 1;
    x--; // UNDEFINED signed-overflow
    return x > 0;
}
