//! Control flow: Duff's device, gotos, recursion, tables of functions, state machines.

use super::super::Generator;

impl Generator {
    pub(super) fn copy_by_switch_into_loop(&mut self) {
        let count = 1 + self.random.below(15);
        let step = 1 + self.random.below(9);
        let (a, b) = (self.fresh("from"), self.fresh("to"));
        let ty = *self.random.pick(&["unsigned char", "short", "int", "unsigned long"]);
        let body = Self::filled(
            "{
    <5> <0>[16], <1>[16] = { 0 };
    for (int i = 0; i < 16; i++)
        <0>[i] = (<5>)(i * <3> + 1);
    <5> *source = <0>, *target = <1>;
    int rounds = (<2> + 3) / 4;
    switch (<2> % 4)
    {
    case 0:
        do
        {
            *target++ = *source++;
    case 3:
            *target++ = *source++;
    case 2:
            *target++ = *source++;
    case 1:
            *target++ = *source++;
        } while (--rounds > 0);
    }
    for (int i = 0; i < 16; i++)
        mix(<1>[i]);
    mix(target - <1>);
}",
            &[&a, &b, &count.to_string(), &step.to_string(), "", ty],
        );
        self.lines(&body);
    }

    pub(super) fn retry_by_goto(&mut self) {
        let (label, tries) = (self.fresh("again"), self.fresh("tries"));
        self.open();
        self.line(&format!("int {tries} = 0;"));
        self.indent -= 1;
        self.line(&format!("{label}:;"));
        self.indent += 1;
        self.depth += 1;
        let loops = std::mem::replace(&mut self.loops, 0);
        self.block(2);
        self.loops = loops;
        self.depth -= 1;
        let condition = self.operand();
        self.line(&format!("if (++{tries} < 5 && fuel-- > 0 && {condition})"));
        self.inner(&format!("goto {label};"));
        self.close("");
    }

    pub(super) fn leave_nested_loops(&mut self) {
        let label = self.fresh("found");
        let (rows, columns) = (2 + self.random.below(4), 2 + self.random.below(4));
        let stop = self.random.below(20);
        let operand = self.operand();
        self.open();
        self.line("unsigned seen = 0;");
        self.line(&format!("for (int row = 0; row < {rows}; row++)"));
        self.inner(&format!("for (int column = 0; column < {columns}; column++)"));
        self.inner("{");
        self.inner("    seen += row * 7u + column;");
        self.inner(&format!("    if (seen % 13 == {stop} % 13 || ({operand} ^ seen) % 31 == 0)"));
        self.inner(&format!("        goto {label};"));
        self.inner("}");
        self.line("seen += 1000;");
        self.line(&format!("{label}:"));
        self.line("mix(seen);");
        self.close("");
    }

    pub(super) fn skip_forward(&mut self) {
        let (label, second) = (self.fresh("skip"), self.fresh("into"));
        let (condition, other) = (self.operand(), self.operand());
        self.line(&format!("if ({condition})"));
        self.inner(&format!("goto {label};"));
        self.line(&format!("if ({other} & 1)"));
        self.inner(&format!("goto {second};"));
        self.mix();
        self.line(&format!("{label}:"));
        self.line("if (fuel & 1)");
        self.open();
        // A jump into a block: past nothing that is initialised.
        self.mix();
        self.line(&format!("{second}:"));
        self.mix();
        self.close("");
    }

    pub(super) fn recursion(&mut self) {
        let name = self.fresh("descend");
        let (factor, bound) = (2 + self.random.below(7), 3 + self.random.below(6));
        let start = self.operand();
        let (helper, call) = match self.random.below(4) {
            0 => (
                "static unsigned <0>(unsigned n, unsigned total)
{
    if (n == 0)
        return total;
    mix(n);
    return <0>(n - 1, total * <1> + n);
}
",
                "mix(<0>(<2>, (unsigned)<3>));",
            ),
            1 => (
                "static int <0>_odd(int n);
static int <0>(int n)
{
    return n == 0 ? 1 : <0>_odd(n - 1);
}
static int <0>_odd(int n)
{
    return n == 0 ? 0 : <0>(n - 1);
}
",
                "mix(<0>(<3> & 15) * 2 + <0>_odd(<2>));",
            ),
            2 => (
                "static unsigned long <0>(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? <0>(m - 1, 1) : <0>(m - 1, (unsigned)<0>(m, n - 1));
}
",
                "mix(<0>(2, <3> & 3));",
            ),
            _ => (
                "static void <0>(int *items, int from, int count)
{
    if (from == count)
    {
        unsigned code = 0;
        for (int i = 0; i < count; i++)
            code = code * <1> + items[i];
        mix(code);
        return;
    }
    for (int i = from; i < count; i++)
    {
        int kept = items[from];
        items[from] = items[i], items[i] = kept;
        <0>(items, from + 1, count);
        kept = items[from];
        items[from] = items[i], items[i] = kept;
    }
}
",
                "<0>((int[]){ 1, <2>, 3, <1> }, 0, 3);",
            ),
        };
        let parts = [name.as_str(), &factor.to_string(), &bound.to_string(), &start];
        self.helper(&Self::filled(helper, &parts));
        self.line(&Self::filled(call, &parts));
    }

    pub(super) fn function_table(&mut self) {
        let name = self.fresh("op");
        let (a, b, c) = (self.operand(), self.operand(), self.operand());
        let helper = "typedef unsigned (*<0>_type)(unsigned, unsigned);
static unsigned <0>_add(unsigned a, unsigned b) { return a + b; }
static unsigned <0>_sub(unsigned a, unsigned b) { return a - b; }
static unsigned <0>_mul(unsigned a, unsigned b) { return a * b; }
static unsigned <0>_mod(unsigned a, unsigned b) { return b ? a % b : a; }
static unsigned (*const <0>_table[4])(unsigned, unsigned) = { <0>_add, &<0>_sub, [3] = <0>_mod, [2] = <0>_mul };
struct <0>_entry { const char *name; <0>_type run; };
static const struct <0>_entry <0>_entries[] = { { \"add\", <0>_add }, { .run = <0>_mod, .name = \"mod\" } };
static <0>_type <0>_choose(int which) { return which & 1 ? <0>_table[which & 3] : *<0>_add; }
static unsigned <0>_fold(unsigned (*run)(unsigned, unsigned), unsigned seed, int count)
{
    while (count-- > 0)
        seed = (*run)(seed, count + 1u);
    return seed;
}
";
        self.helper(&Self::filled(helper, &[&name]));
        let call = match self.random.below(4) {
            0 => "mix(<0>_table[<1> & 3](<2>, <3>));",
            1 => "mix(<0>_choose(<1> & 7)(<2>, <3>));",
            2 => "mix(<0>_fold(<0>_table[<1> & 3], <2>, 5));",
            _ => "printf(\"%s %u\\n\", <0>_entries[<1> & 1].name, <0>_entries[<1> & 1].run(<2>, <3>));",
        };
        // The arguments stand twice at most and have no effects.
        self.line(&Self::filled(call, &[&name, &a, &b, &c]));
    }

    pub(super) fn static_counter(&mut self) {
        let name = self.fresh("next");
        let start = self.random.below(100);
        let helper = "static int <0>(int by)
{
    static int count = <1>;
    static int *where = &count, calls;
    *where += by;
    return count % 10007 * ++calls;
}
";
        self.helper(&Self::filled(helper, &[&name, &start.to_string()]));
        let operand = self.operand();
        self.line(&format!("mix({name}({operand} & 63));"));
        self.line(&format!("mix({name}(-1));"));
    }

    pub(super) fn state_machine(&mut self) {
        let name = self.fresh("mode");
        let text = *self.random.pick(&["aab ba;", "x=12;y", "(()(", "0x1f,-7", ""]);
        let operand = self.operand();
        let helper = "enum <0> { <0>_start, <0>_word, <0>_number = 7, <0>_end };
static enum <0> <0>_next(enum <0> from, char c)
{
    switch (from)
    {
    default:
    case <0>_start:
        if (c >= '0' && c <= '9')
            return <0>_number;
    case <0>_word:
        return c >= 'a' && c <= 'z' ? <0>_word : c ? <0>_start : <0>_end;
    case <0>_number:
        switch (c)
        {
        case '0' ... '9':
            return from;
        case 0:
            break;
        default:
            return <0>_start;
        }
        return <0>_end;
    case <0>_end:;
    }
    return from;
}
";
        self.helper(&Self::filled(helper, &[&name]));
        let body = "{
    enum <0> at = (enum <0>)(<2> & 1);
    const char *text = \"<1>\";
    do
    {
        at = <0>_next(at, *text);
        mix(at);
    } while (*text++ && at != <0>_end);
}";
        self.lines(&Self::filled(body, &[&name, text, &operand]));
    }
}
