int main(void)
{
    int y = -4;
    y <<= 2; // UNDEFINED left-shift
    return y;
}
// STRICT left-shifts
