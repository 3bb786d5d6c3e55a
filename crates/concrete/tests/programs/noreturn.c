_Noreturn void die(int x)
{
    x++;
    if (x > 5)
        for (;;) ;
} // UNDEFINED returned-from-noreturn
int main(void)
{
    die(1);
}
