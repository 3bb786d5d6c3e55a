static const int limit = 3;
int main(void)
{
    *(int *)&limit = 4; // UNDEFINED read-only-write
    return limit;
}
