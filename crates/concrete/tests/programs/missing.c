int outside(int);
int main(void)
{
    return outside(3);
}
// UNKNOWN `outside` is called, which has neither a body nor a built-in meaning
