int main(int argc, char **argv)
{
    unsigned d = argc - 1;
    return 10u % d; // UNDEFINED division-by-zero
}
