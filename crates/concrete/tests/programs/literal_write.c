int main(void)
{
    char *s = "abc";
    s[0] = 'x'; // UNDEFINED read-only-write
    return 0;
}
