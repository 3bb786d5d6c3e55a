int main(void)
{
    int a[2] = {0};
    int *p = a;
    p += 3; // UNDEFINED pointer-arithmetic
    return p == 0;
}
// STRICT pointer-arithmetic
