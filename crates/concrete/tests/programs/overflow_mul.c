int main(void)
{
    int x = 65536;
    return x * x == 0; // UNDEFINED signed-overflow
}
