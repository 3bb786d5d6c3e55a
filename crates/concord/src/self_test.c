int printf(const char *, ...);
void *malloc(unsigned long);
void free(void *);
struct node { short value; struct node *next; };
static unsigned mix(unsigned sum, struct node *list)
{
    for (; list; list = list->next)
        switch (list->value & 3)
        {
        case 0: sum += 7;
        case 1: sum ^= (unsigned)list->value << 3; break;
        default: sum = sum * 31 + list->value;
        }
    return sum;
}
int main(void)
{
    struct node *list = 0;
    for (int i = 0; i < 9; i++)
    {
        struct node *made = malloc(sizeof *made);
        *made = (struct node){ .value = (short)(i * i - 20), .next = list };
        list = made;
    }
    printf("%u %.3f\n", mix(5, list), 22.0 / 7);
    while (list)
    {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 42;
}
