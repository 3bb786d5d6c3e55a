//! Data: unions, bit-fields, initialisers, compound literals, builtins, wide integers.

use super::super::Generator;
use super::super::Model;

impl Generator {
    pub(super) fn union_views(&mut self) {
        let name = self.fresh("view");
        let (a, b) = (self.operand(), self.operand());
        let at = self.random.below(4).to_string();
        self.helper(&Self::filled(
            "union <0>
{
    unsigned word;
    int number;
    unsigned char bytes[4];
    struct { unsigned short low, high; } halves;
    struct { unsigned first : 3; signed second : 9; unsigned third : 20; } fields;
};
",
            &[&name],
        ));
        let body = match self.random.below(3) {
            0 => {
                "{
    union <0> view = { <1> };
    mix(view.bytes[<3>]);
    view.bytes[<3>] ^= <2>;
    mix(view.word);
    mix(view.number);
}"
            }
            1 => {
                "{
    union <0> view, other = { .number = (int)<1> };
    view = other;
    mix(view.halves.high);
    view.halves.low = (unsigned short)<2>;
    mix(view.word);
    other.fields.second = view.bytes[<3>];
    mix(other.fields.second);
    mix(other.word);
}"
            }
            _ => {
                "{
    struct { char tag; union <0> views[2]; } both = { 'x', { { .fields = { 5, -3, 99 } }, [1].bytes = { [<3>] = 7 } } };
    both.views[<1> & 1].fields.third = <2>;
    mix(both.views[0].word);
    mix(both.views[1].word);
    mix(sizeof both);
}"
            }
        };
        self.lines(&Self::filled(body, &[&name, &a, &b, &at]));
    }

    pub(super) fn bit_field_header(&mut self) {
        let name = self.fresh("header");
        let (a, b) = (self.operand(), self.operand());
        let widths: Vec<i64> = (0..4).map(|_| self.random.within(1..=15)).collect();
        self.helper(&Self::filled(
            "struct <0>
{
    unsigned version : <1>;
    int delta : <2>;
    unsigned : <3>;
    unsigned char kind : <5>;
    _Bool last : 1;
    unsigned short : 0;
    short length : <4>;
    unsigned long long wide : 37;
};
static void <0>_report(const struct <0> *h)
{
    printf(\"%u %d %d %d %d %llu\\n\", (unsigned)h->version, h->delta, h->kind, h->last, h->length,
           (unsigned long long)h->wide);
}
",
            &[
                &name,
                &widths[0].to_string(),
                &widths[1].to_string(),
                &widths[2].to_string(),
                &widths[3].to_string(),
                &(1 + widths[0] % 8).to_string(),
            ],
        ));
        self.lines(&Self::filled(
            "{
    struct <0> h = { <1>, <2>, .length = -1, .wide = 1ULL << 36 };
    <0>_report(&h);
    h.version += 3;
    h.delta--;
    h.kind = h.version - h.delta;
    h.last = h.kind & 6;
    h.length ^= h.delta = <2>;
    h.wide = h.wide * 3 + h.kind;
    mix(h.kind - 300 < 0);
    mix(-h.last);
    <0>_report(&h);
    mix(sizeof h);
}",
            &[&name, &a, &b],
        ));
    }

    pub(super) fn nested_initializers(&mut self) {
        let name = self.fresh("table");
        let numbers: Vec<String> = (0..4).map(|_| self.random.within(-90..=90).to_string()).collect();
        let operand = self.operand();
        let helper = match self.random.below(3) {
            0 => {
                "static const struct { int key; struct { short x, y[3]; } at; const char *name; } <0>[] = {
    { <1>, { 2, { 3, 4 } }, \"first\" },
    <2>, 5, 6, 7, 8, \"elided\",
    [4] = { .at.y = { [1] = <3> }, .at.x = 9, .key = <4>, .name = \"late\" + 1 },
    [2].key = 11,
};
static void <0>_sum(int i)
{
    int total = <0>[i].key + <0>[i].at.x;
    for (int k = 0; k < 3; k++)
        total += <0>[i].at.y[k] * (1 << k) & 0xff;
    printf(\"%d %s\\n\", total, <0>[i].name ? <0>[i].name : \"-\");
}
"
            }
            1 => {
                "static int <0>[3][4] = { 1, 2, 3, 4, <1>, <2>, [2][3] = <3>, [1][2] = <4> };
static int *<0>_rows[] = { <0>[0], &<0>[1][1], *(<0> + 2) };
static void <0>_sum(int i)
{
    int (*row)[4] = &<0>[i % 3];
    for (int k = 0; k < 3; k++)
        mix((*row)[k] + <0>_rows[i % 3][k]);
}
"
            }
            _ => {
                "struct <0>_pair { char c; long long n; double d; };
static struct <0>_pair <0>[5] = { [1 ... 3] = { 'm', <1>, 1.5 }, [2].n = <2>, <3>, { .d = <4> }, };
static void <0>_sum(int i)
{
    struct <0>_pair copy = <0>[i], list[2] = { copy, [1] = { .n = <4> } };
    printf(\"%d %lld %.3f %lld\\n\", copy.c, list[0].n, copy.d, list[1].n + list[1].c);
}
"
            }
        };
        let mut parts = vec![name.as_str()];
        parts.extend(numbers.iter().map(String::as_str));
        self.helper(&Self::filled(helper, &parts));
        self.line("for (int i = 0; i < 5; i++)");
        self.inner(&format!("{name}_sum(i);"));
        self.line(&format!("{name}_sum({operand} & 3);"));
    }

    pub(super) fn compound_literals(&mut self) {
        let name = self.fresh("point");
        let (a, b) = (self.operand(), self.operand());
        self.helper(&Self::filled(
            "struct <0> { int x; struct { signed char y; } in; unsigned z[2]; };
static int <0>_code(struct <0> p, const struct <0> *q)
{
    return p.x % 1000 + p.in.y * 3 + (int)(p.z[1] & 255) - (q ? q->in.y : -1);
}
static struct <0> *<0>_fixed = &(struct <0>){ 4, { 5 }, { 6 } };
",
            &[&name],
        ));
        let body = match self.random.below(3) {
            0 => {
                "{
    int *list = (int[]){ 1, <1> & 0xffff, 3 };
    list[<2> & 1]++;
    mix(list[0] + list[1] - (int[3]){ 9, 8 }[<2> & 1]);
    mix(sizeof(short[]){ 1, 2, 3 });
}"
            }
            1 => {
                "{
    struct <0> p = (struct <0>){ .in = { (signed char)<1> }, .x = 3 };
    mix(<0>_code((struct <0>){ <1>, { 2 }, { 3, <2> } }, &p));
    mix(<0>_code(p, 0));
    p = *&(struct <0>){ 7 };
    mix(<0>_code(p, &(const struct <0>){ .z[1] = 4, .in.y = 6 }));
}"
            }
            _ => {
                "for (int i = 0; i < 3; i++)
{
    struct <0> *p = &(struct <0>){ i };
    p->x += <1> & 15;
    p->z[i & 1] = <2>;
    <0>_fixed->in.y += i;
    mix(<0>_code(*p, <0>_fixed));
}"
            }
        };
        self.lines(&Self::filled(body, &[&name, &a, &b]));
    }

    pub(super) fn overflow_builtins(&mut self) {
        let operation = *self.random.pick(&["add", "sub", "mul"]);
        let types = ["int", "unsigned", "long", "signed char", "unsigned short", "long long"];
        let mut ty = *self.random.pick(&types);
        let (mut a, mut b, c) = (self.operand(), self.operand(), self.fresh("sum"));
        if self.model == Model::Ilp32 {
            // 64-bit operands need 128 bits, which gcc does not have there for the printed program.
            ty = ty.trim_start_matches("long ");
            (a, b) = (format!("(int){a}"), format!("(unsigned){b}"));
        }
        let body = "{
    <1> <0>;
    mix(__builtin_<2>_overflow(<3>, <4>, &<0>));
    mix(<0>);
}";
        self.lines(&Self::filled(body, &[&c, ty, operation, &a, &b]));
    }

    pub(super) fn bit_builtins(&mut self) {
        let operand = self.operand();
        let text = match self.random.below(6) {
            0 => "mix(__builtin_clz((unsigned)<0> | 1));",
            1 => "mix(__builtin_ctzll((unsigned long long)<0> | 1ULL << 40));",
            2 => "mix(__builtin_bswap32((unsigned)<0>));",
            3 => "mix(__builtin_bswap64((unsigned long long)<0>));",
            4 => "mix(__builtin_ffs((int)<0>));",
            _ => "mix(__builtin_expect(<0> > 3, 1));",
        };
        self.line(&Self::filled(text, &[&operand]));
    }

    pub(super) fn wide_integers(&mut self) {
        if self.model == Model::Ilp32 {
            return self.mix();
        }
        let (a, b) = (self.operand(), self.operand());
        let sign = *self.random.pick(&["*", "+", "-", "/", "%", "<<", ">>"]);
        let right = match sign {
            "/" | "%" => "(wide & 1023) + 1",
            "<<" | ">>" => "(unsigned)wide % 128",
            _ => "wide",
        };
        let body = "{
    unsigned __int128 wide = (unsigned __int128)<0> << 64 | (unsigned long long)<1>;
    __int128 narrow = (__int128)(long long)<1> * (long long)<0>;
    wide = wide * 3 <2> (<3>);
    mix((unsigned long long)(wide >> 64));
    mix((unsigned long long)wide);
    mix(narrow < 0);
    mix((unsigned long long)(narrow >> 17));
    mix(narrow % 1000);
}";
        self.lines(&Self::filled(body, &[&a, &b, sign, right]));
    }

    pub(super) fn record_choice(&mut self) {
        let name = self.fresh("parcel");
        let (a, b) = (self.operand(), self.operand());
        self.helper(&Self::filled(
            "struct <0> { short kind; int load[3]; char name[6]; };
static struct <0> <0>_make(int kind, const char *name)
{
    struct <0> made = { kind, { kind, kind * 2 } };
    for (int i = 0; i < 5 && name[i]; i++)
        made.name[i] = name[i];
    return made;
}
static struct <0> <0>_swap(struct <0> p)
{
    int kept = p.load[0];
    p.load[0] = p.load[2];
    p.load[2] = kept;
    return p;
}
",
            &[&name],
        ));
        self.lines(&Self::filled(
            "{
    struct <0> one = <0>_make(<1> & 255, \"left\"), two = <0>_make(77, \"righter\");
    struct <0> got = <2> ? <0>_swap(one) : two;
    printf(\"%s %d %d\\n\", got.name, got.load[2], (<1> & 1 ? one : two).load[1]);
    mix(<0>_swap(<0>_swap(got)).kind);
    one = two = got;
    mix(one.load[0] + two.name[1]);
}",
            &[&name, &a, &b],
        ));
    }

    pub(super) fn selection_by_type(&mut self) {
        let operand = self.operand();
        self.lines(&Self::filled(
            "{
    __typeof__(<0>) same = <0>;
    mix(_Generic(same, int: 1, unsigned: 2, long: 3, unsigned long: 4, long long: 5, char: 6, default: 7));
    mix(_Generic(+same, int: 1, unsigned: 2, long: 3, default: 4) * 10 + sizeof(same));
    mix(_Generic((char)same + 1u, int: 1, unsigned: 2, default: 3));
    _Static_assert(sizeof(same) <= 8, \"an ordinary integer\");
    mix(_Alignof(long long) + _Alignof(short[3]));
    mix(__builtin_types_compatible_p(__typeof__(same + 0LL), long long));
}",
            &[&operand],
        ));
    }
}
