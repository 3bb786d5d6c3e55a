static int twice(double d) { return (int)(2 * d); }
int main(void)
{
    int (*f)(int) = (int (*)(int))twice;
    return f(3); // UNDEFINED bad-call
}
