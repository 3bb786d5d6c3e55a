int main(int argc, char **argv)
{
    int d = argc - 1;
    return 10 / d; // UNDEFINED division-by-zero
}
