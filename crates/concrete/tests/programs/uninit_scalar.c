int main(int argc, char **argv)
{
    int x;
    if (argc > 5)
        x = 1;
    return x + 1; // UNDEFINED uninitialised-read
}
// MESSAGE the local variable `x` is read before
