int x = 5;
int main(void)
{
    int (*f)(void) = (int (*)(void))&x;
    return f(); // UNDEFINED bad-call
}
// MESSAGE the variable `x` is called, which is no function
