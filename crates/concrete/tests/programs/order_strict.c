int main(void)
{
    int a[2] = {0}, b[2] = {0};
    int *p = a, *q = b;
    return p < q; // UNDEFINED unrelated-pointers
}
// STRICT pointer-order
