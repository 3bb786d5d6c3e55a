//! Memory: lists, growing vectors, walks over arrays, rows, bytes, pointers to pointers, lengths known at run time.

use super::super::Generator;

impl Generator {
    pub(super) fn linked_list(&mut self) {
        let name = self.fresh("node");
        let (a, b) = (self.operand(), self.operand());
        let ty = *self.random.pick(&["int", "unsigned char", "long long", "short"]);
        let count = (1 + self.random.below(6)).to_string();
        self.helper(&Self::filled(
            "struct <0> { <1> value; struct <0> *next; };
static struct <0> *<0>_push(struct <0> *list, <1> value)
{
    struct <0> *made = malloc(sizeof *made);
    if (!made)
        exit(99);
    *made = (struct <0>){ .next = list, .value = value };
    return made;
}
static void <0>_insert(struct <0> **where, <1> value)
{
    while (*where && (*where)->value < value)
        where = &(*where)->next;
    *where = <0>_push(*where, value);
}
static struct <0> *<0>_reverse(struct <0> *list)
{
    struct <0> *done = 0;
    for (struct <0> *next; list; list = next)
    {
        next = list->next;
        list->next = done;
        done = list;
    }
    return done;
}
static void <0>_free(struct <0> *list)
{
    if (!list)
        return;
    <0>_free(list->next);
    mix(list->value);
    free(list);
}
",
            &[&name, ty],
        ));
        self.lines(&Self::filled(
            "{
    struct <0> *list = 0;
    for (int i = 0; i < <3>; i++)
        list = <0>_push(list, (<1> & 63) + i * 5);
    list = <0>_reverse(list);
    <0>_insert(&list, <2> & 31);
    <0>_insert(&list, 40);
    <0>_free(<0>_reverse(list));
}",
            &[&name, &a, &b, &count],
        ));
    }

    pub(super) fn growing_vector(&mut self) {
        let ty = *self.random.pick(&["int", "unsigned char", "long", "unsigned short"]);
        let (operand, count) = (self.operand(), (3 + self.random.below(12)).to_string());
        let body = match self.random.below(2) {
            0 => {
                "{
    <0> *items = 0;
    size used = 0, room = 0;
    for (int i = 0; i < <1>; i++)
    {
        if (used == room)
        {
            room = room ? room * 2 : 1;
            items = realloc(items, room * sizeof *items);
        }
        items[used++] = (<0>)(i * 3 + (<2> & 7));
    }
    while (used)
        mix(items[--used]);
    free(items);
}"
            }
            _ => {
                "{
    struct { size count; <0> tail[]; } *box = calloc(1, sizeof *box + <1> * sizeof(<0>));
    while (box->count < <1>)
    {
        box->tail[box->count] += (<0>)(box->count * 5 + (<2> & 3));
        box->count++;
    }
    unsigned char *copy = malloc(<1> * sizeof(<0>));
    memcpy(copy, box->tail, <1> * sizeof(<0>));
    for (size i = 0; i < <1> * sizeof(<0>); i++)
        mix(copy[i]);
    free(box);
    free(copy);
}"
            }
        };
        self.lines(&Self::filled(body, &[ty, &count, &operand]));
    }

    pub(super) fn walk_array(&mut self) {
        let ty = *self.random.pick(&["int", "signed char", "unsigned short", "unsigned long", "long long"]);
        let (length, operand) = (4 + self.random.below(6), self.operand());
        let at = 1 + self.random.below(length - 2);
        let body = match self.random.below(3) {
            0 => {
                "{
    <0> items[<1>] = { 1, 2 };
    <0> *at, *end = items + <1>;
    for (at = items + 2; at < end; ++at)
        *at = (<0>)(((unsigned)at[-1] + (unsigned)*(at - 2) + (<3> & 3)) & 127);
    while (at != items)
        mix(*--at);
    mix(end - at);
    mix(&items[<2>] > at && &items[<2>] <= end);
}"
            }
            1 => {
                "{
    <0> items[<1>] = { [<2>] = 9 };
    <0> *middle = &items[<2>];
    middle[-1] = 4, 1[middle] = (<0>)(<3> & 31);
    *middle++ += 2;
    --*middle;
    mix((middle - items) * 100 + *middle);
    for (<0> const *p = items, *q = p + <1>; p < q--; p++)
        mix(*p ^ *q);
}"
            }
            _ => {
                "{
    static <0> items[<1>];
    <0> *p = items + <1> - 1;
    do
    {
        *p = (<0>)(*p / 2 + (p - items) + (<3> & 15));
        mix(*p);
    } while (p-- != items + <2>);
    mix(p == items + <2> - 1 ? *(items + <2>) : -1);
}"
            }
        };
        self.lines(&Self::filled(body, &[ty, &length.to_string(), &at.to_string(), &operand]));
    }

    pub(super) fn rows_of_matrix(&mut self) {
        let (rows, columns) = (2 + self.random.below(3), 2 + self.random.below(3));
        let operand = self.operand();
        let ty = if self.uses_reals { *self.random.pick(&["int", "double", "float"]) } else { "int" };
        let name = self.fresh("grid");
        self.helper(&Self::filled(
            "static <1> <0>_sum(<1> (*rows)[<3>], int count)
{
    <1> total = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < <3>; k++)
            total += rows[i][k] * (k + 1);
    return total;
}
",
            &[&name, ty, &rows.to_string(), &columns.to_string()],
        ));
        self.lines(&Self::filled(
            "{
    <1> grid[<2>][<3>] = { { 1 }, { [1] = 2 } };
    <1> (*row)[<3>] = grid + 1, *flat = &grid[0][0];
    for (int i = 0; i < <2>; i++)
        for (int k = 0; k < <3>; k++)
            grid[i][k] += (<1>)((i * 3 + k * 5 + (<4> & 15)) / 2);
    (*row)[0] = flat[1] + (*row)[<3> - 1];
    mix((long long)<0>_sum(grid, <2>));
    mix((long long)<0>_sum(row, 1));
    mix(sizeof grid / sizeof *grid + sizeof *row);
}",
            &[&name, ty, &rows.to_string(), &columns.to_string(), &operand],
        ));
    }

    pub(super) fn bytes_of_object(&mut self) {
        let ty = *self.random.pick(&["int", "unsigned long", "short", "long long", "double", "float"]);
        let operand = self.operand();
        self.lines(&Self::filled(
            "{
    <0> object = (<0>)(<1> & 4095), copy;
    unsigned char *bytes = (unsigned char *)&object;
    for (size i = 0; i < sizeof object; i++)
    {
        mix(bytes[i]);
        ((char *)&copy)[i] = (char)bytes[i];
    }
    mix(copy == object);
    bytes[0] ^= 1;
    mix(copy != object);
}",
            &[ty, &operand],
        ));
    }

    pub(super) fn pointers_to_pointers(&mut self) {
        let (a, b) = (self.operand(), self.operand());
        self.lines(&Self::filled(
            "{
    int first = 10, second = 20, *p = &first, *q = &second, **which = <0> ? &p : &q;
    **which += 5;
    *which = &second;
    int *list[3] = { p, [2] = q }, **at = list + 2;
    if (!*(at - 1) && at[0])
        **at = *p + **list + (int)(<1> & 7);
    void *plain = *at;
    *(int *)plain += 1;
    _Bool has = list[1], differs = p != q;
    mix(first * 1000 + second + has * 2 + differs);
    const volatile int *watched = p == &second ? q : p;
    mix(*watched);
}",
            &[&a, &b],
        ));
    }

    pub(super) fn run_time_length(&mut self) {
        let operand = self.operand();
        let name = self.fresh("fill");
        self.helper(&Self::filled(
            "static int <0>(int n, int m, int (*rows)[m])
{
    int total = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++)
            total += rows[i][k] = i * m + k;
    return total + (int)sizeof *rows;
}
",
            &[&name],
        ));
        self.lines(&Self::filled(
            "for (int n = 1 + (<1> & 3), m = n + 1; n < 5; n++)
{
    int rows[n][m];
    char bytes[m * 2];
    mix(<0>(n, m, rows));
    mix(rows[n - 1][m - 1]);
    mix(sizeof rows + sizeof bytes);
    bytes[m] = 3;
    mix(bytes[m]);
}",
            &[&name, &operand],
        ));
    }
}
