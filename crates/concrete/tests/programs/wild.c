int main(void)
{
    int *p = (int *)0x123456789;
    return *p; // UNDEFINED wild-pointer
}
