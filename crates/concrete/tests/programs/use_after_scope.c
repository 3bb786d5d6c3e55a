int main(void)
{
    int *p;
    {
        int x = 3;
        p = &x;
    }
    return *p; // UNDEFINED use-after-scope
}
// MESSAGE the local variable `x`
