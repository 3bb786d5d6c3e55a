int main(void)
{
    int x = 2147483647;
    x = x + 1; // UNDEFINED signed-overflow
    return x;
}
// MESSAGE 2147483647 + 1 does not fit a signed integer of 32 bits
