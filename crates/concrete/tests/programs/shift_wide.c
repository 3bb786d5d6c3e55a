int main(int argc, char **argv)
{
    int n = 31 + argc;
    return 1 << n; // UNDEFINED bad-shift
}
