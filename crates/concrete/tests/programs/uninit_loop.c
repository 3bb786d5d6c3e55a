int main(void)
{
    for (int i = 0; i < 2; i++) {
        int x;
        if (i == 0)
            x = 1;
        if (x) // UNDEFINED uninitialised-read
            continue;
    }
    return 0;
}
