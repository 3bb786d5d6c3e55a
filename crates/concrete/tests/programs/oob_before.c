int main(void)
{
    char a[4] = "abc";
    char *p = a;
    p--;
    return *p; // UNDEFINED out-of-bounds
}
// MESSAGE 1 byte before the start of the local variable `a` (4 bytes)
