int main(int argc, char **argv)
{
    int n = -argc;
    return 8u >> n; // UNDEFINED bad-shift
}
// MESSAGE shifted by -1
