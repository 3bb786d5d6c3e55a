// HOLDS
// The bits beside a bit-field were never written; the field itself was, and a copy has it.
extern void reach_error(void);
struct flags { unsigned kind : 3; };
struct date { unsigned day : 5, month : 4, year : 12; };
static struct flags same(struct flags flags) { return flags; }
static int later(struct date one, struct date two) { return one.year > two.year; }
int main(void)
{
    struct flags one, two, three;
    struct date old = {1, 2, 2020}, new = {1, 3, 2021};
    one.kind = 5;
    two = one;
    three = same(two);
    if (two.kind != 5 || three.kind != 5 || !later(new, old))
        reach_error();
    return 0;
}
