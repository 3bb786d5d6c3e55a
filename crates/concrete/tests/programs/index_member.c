struct s { int a[2]; int after; };
int main(void)
{
    struct s s = {{1, 2}, 3};
    int i = 2;
    s.a[i] = 7; // UNDEFINED index-out-of-bounds
    return s.after;
}
