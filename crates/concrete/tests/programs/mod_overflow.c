int main(int argc, char **argv)
{
    int x = -2147483647 - 1, m = -argc;
    return x % m; // UNDEFINED division-overflow
}
