int *f(void)
{
    int x = 3;
    int *p = &x;
    return p;
}
int g(void)
{
    int y = 4;
    int *q = &y;
    return *q;
}
int main(void)
{
    int *p = f();
    g();
    return *p; // UNDEFINED use-after-scope
}
