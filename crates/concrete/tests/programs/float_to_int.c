int main(void)
{
    double d = 3e10;
    int x = d; // UNDEFINED float-to-integer
    return x;
}
