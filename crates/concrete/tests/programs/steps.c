int main(void)
{
    for (;;) ;
}
// STEPS 1000
// LIMIT step limit
