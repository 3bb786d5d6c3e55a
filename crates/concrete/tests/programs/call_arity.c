static int add(int a, int b) { return a + b; }
int main(void)
{
    int (*f)(int) = (int (*)(int))add;
    return f(3); // UNDEFINED bad-call
}
