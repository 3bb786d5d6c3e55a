int main(void)
{
    int (*f)(void) = 0;
    return f(); // UNDEFINED null-dereference
}
