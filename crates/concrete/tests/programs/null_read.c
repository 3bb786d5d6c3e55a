struct s { int a, b; };
int get(struct s *s)
{
    return s->b; // UNDEFINED null-dereference
}
int main(void)
{
    return get(0);
}
// MESSAGE 4 bytes behind it
