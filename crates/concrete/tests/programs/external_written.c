extern int elsewhere[4];
int main(void)
{
    elsewhere[2] = 5;
    int *p = elsewhere;
    return p[2]; // EXIT 5
}
