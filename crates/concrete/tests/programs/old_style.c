int f(c, d, x) char c; short d; float x; { return c + d + (int)x; }
int main(void)
{
    return f(1, 2, 3.5); // EXIT 6
}
// GCC
