int main(void)
{
    int *kept = 0;
    for (int i = 0; i < 2; i++) {
        int x = i;
        if (kept)
            return *kept; // UNDEFINED use-after-scope
        kept = &x;
    }
    return 0;
}
