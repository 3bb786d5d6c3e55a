int main(int argc, char **argv)
{
    if (argc)
        __builtin_unreachable(); // UNDEFINED unreachable
    return 0;
}
