//! Small random C programs without memory errors: integers of all widths, arrays, pointers, structures, unions,
//! bit-fields, calls, loops, the heap. Signed overflow and large shift counts happen: both sides give them gcc's
//! meaning.

use crate::Random;
use std::fmt::Write;

const HEAD: &str = "\
typedef __typeof__(sizeof(0)) size_t;
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern long long __VERIFIER_nondet_longlong(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void *malloc(size_t);
extern void *calloc(size_t, size_t);
extern void free(void *);
extern void *memcpy(void *, const void *, size_t);
extern void *memset(void *, int, size_t);
struct inner { int y; short z[3]; };
struct outer { int x; unsigned char b; short h; unsigned f : 5; int k : 7; unsigned long long w : 33; struct inner in; int *q; };
union view { int i; unsigned u; unsigned char b[4]; short h[2]; struct { short lo; unsigned short hi; } parts; };
int g0, g1 = 7, g2 = -3; unsigned u0 = 4000000000u; char c0 = 'x'; short s0 = -300; long long l0 = 1LL << 40; _Bool t0 = 1;
int a[8] = { 1, 2, 3 }; short m[3][4] = { { 1, -1 }, { 5 } }; const char text[6] = \"hello\";
struct outer o1 = { 1, 2, 3, 4, -5, 6, { 7, { 8, 9, 10 } }, &g1 }, o2;
struct outer two[2];
union view v0;
int *p = &g0; struct outer *po = &o1;
static int add(int x, int y) { return x + y; }
static int twice(int x) { return x * 2; }
static int neg(int x) { return -x; }
static int (*table[2])(int) = { twice, neg };
static struct outer change(struct outer by, int n) { by.x += n; by.in.z[1] = (short)(n * 3); by.k = n; return by; }
static void bump(int *at, unsigned char n) { *at += n; }
static int sum(const int *from, int count) { int s = 0; for (int i = 0; i < count; i++) s += from[i]; return s; }
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
";

/// A program. `main` returns a number that depends on everything.
pub fn program(seed: u64, statements: usize, takes_inputs: bool) -> String {
    let mut draw = Random::new(seed);
    let mut text = String::from(HEAD);
    text.push_str("static int run(void) {\n  int i0 = 0, i1 = 0, *h = malloc(6 * sizeof(int)), *z = calloc(4, sizeof(int)), loc[5] = { 9 };\n");
    text.push_str("  struct outer lo = o1; unsigned n0 = 1; int before = 1;\n  for (i0 = 0; i0 < 6; i0++) h[i0] = i0 * 5 - 7;\n");
    let inputs = if takes_inputs {
        "  i1 = __VERIFIER_nondet_int(); u0 = __VERIFIER_nondet_uint(); s0 = __VERIFIER_nondet_short(); c0 = (char)__VERIFIER_nondet_uchar(); l0 = __VERIFIER_nondet_longlong(); t0 = __VERIFIER_nondet_bool();\n"
    } else {
        ""
    };
    text.push_str(inputs);
    for _ in 0..statements {
        statement(&mut draw, &mut text, 1);
    }
    text.push_str("  before = h[2] + z[1] + loc[3] + lo.x;\n  free(h); free(z);\n  return before;\n}\n");
    text.push_str("int main(void) {\n  int r = run();\n  unsigned s = (unsigned)r * 31u + (unsigned)g0 + (unsigned)g1 * 3u + (unsigned)g2 * 5u + u0 * 7u + (unsigned)c0 + (unsigned)s0 + (unsigned)l0 + (unsigned)(l0 >> 32) + t0;\n");
    text.push_str("  for (int i = 0; i < 8; i++) s = s * 3u + (unsigned)a[i];\n  s += (unsigned)o1.x + o1.b + (unsigned)o1.h + o1.f + (unsigned)o1.k + (unsigned)o1.w + (unsigned)o1.in.z[1] + (unsigned)o2.x + (unsigned)o2.k + (unsigned)two[1].x + v0.u + (unsigned)m[1][2];\n  return (int)s;\n}\n");
    text
}

fn indent(text: &mut String, depth: usize) {
    text.push_str(&"  ".repeat(depth));
}

fn place(draw: &mut Random) -> String {
    let index = if draw.below(3) == 0 { draw.below(4).to_string() } else { format!("({}) & 3", atom(draw)) };
    match draw.below(24) {
        0 => "g0".into(),
        1 => "g1".into(),
        2 => "g2".into(),
        3 => "u0".into(),
        4 => "c0".into(),
        5 => "s0".into(),
        6 => "l0".into(),
        7 => "t0".into(),
        8 => format!("a[({}) & 7]", atom(draw)),
        9 => format!("m[({}) & 1][{index}]", atom(draw)),
        10 => "o1.x".into(),
        11 => "o1.b".into(),
        12 => "o1.f".into(),
        13 => "o1.k".into(),
        14 => "o1.w".into(),
        15 => format!("po->in.z[(unsigned)({}) % 3]", atom(draw)),
        16 => "*p".into(),
        17 => "v0.i".into(),
        18 => format!("v0.b[{index}]"),
        19 => "v0.parts.hi".into(),
        20 => format!("h[{index}]"),
        21 => format!("z[{index}]"),
        22 => format!("loc[{index}]"),
        _ => "two[1].in.y".into(),
    }
}

fn atom(draw: &mut Random) -> String {
    match draw.below(6) {
        0 => format!("{}", draw.below(200) as i64 - 100),
        1 => draw.one_of(&["i0", "i1", "n0"]).into(),
        2 => draw.one_of(&["0x7fffffff", "-1", "255u", "65536", "3000000000u", "5LL"]).into(),
        3 => draw.one_of(&["g0", "g1", "g2", "u0", "c0", "s0"]).into(),
        4 => draw.one_of(&["a[1]", "a[5]", "o1.x", "o1.k", "o1.f", "po->h", "v0.h[1]", "lo.in.y"]).into(),
        _ => {
            draw.one_of(&["(int)l0", "t0", "text[1]", "m[1][0]", "*p", "two[0].x", "(int)(l0 >> 33)"]).into()
        }
    }
}

fn expression(draw: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return if draw.below(3) == 0 { place(draw) } else { atom(draw) };
    }
    let (left, right) = (expression(draw, depth - 1), expression(draw, depth - 1));
    match draw.below(16) {
        0..=3 => format!("({left} {} {right})", draw.one_of(&["+", "-", "*"])),
        4 => format!("({left} {} {right})", draw.one_of(&["&", "|", "^"])),
        5 => format!("({left} {} {right})", draw.one_of(&["<", "<=", "==", "!=", ">", ">="])),
        6 => format!("({left} {} ({right} & 7))", draw.one_of(&["<<", ">>"])),
        7 => format!("((unsigned)({left}) >> {})", draw.below(40)),
        8 => format!("((unsigned)({left}) {} ((unsigned)({right}) | 1u))", draw.one_of(&["/", "%"])),
        9 => format!("((int)({left}) {} (((int)({right}) & 15) + 1))", draw.one_of(&["/", "%"])),
        10 => format!("({left} {} {right})", draw.one_of(&["&&", "||"])),
        11 => format!("({left} ? {right} : {})", atom(draw)),
        12 => format!("{}({left})", draw.one_of(&["-", "~", "!"])),
        13 => format!(
            "(({})({left}))",
            draw.one_of(&["char", "unsigned char", "short", "_Bool", "long long", "unsigned"])
        ),
        14 => format!("add({left}, {right})"),
        _ => format!("table[({left}) & 1]({right})"),
    }
}

fn statement(draw: &mut Random, text: &mut String, depth: usize) {
    indent(text, depth);
    let value = expression(draw, 2);
    match draw.below(26) {
        0..=8 => {
            let to = place(draw);
            writeln!(text, "{to} {} {value};", draw.one_of(&["=", "=", "=", "+=", "-=", "^=", "*="]))
                .expect("a string");
        }
        9 => writeln!(text, "p = &a[({value}) & 7];").expect("a string"),
        10 => writeln!(text, "p = ({value}) ? &g1 : &h[2];").expect("a string"),
        11 => writeln!(text, "po = ({value}) & 1 ? &o2 : &two[1];").expect("a string"),
        12 => writeln!(text, "o2 = change(o1, {value});").expect("a string"),
        13 => writeln!(text, "bump(&a[({value}) & 7], (unsigned char)({value}));").expect("a string"),
        14 => writeln!(text, "two[({value}) & 1] = lo;").expect("a string"),
        15 => writeln!(text, "lo = *po; lo.k = {value};").expect("a string"),
        16 => writeln!(
            text,
            "memcpy(&o2.in, &lo.in, sizeof lo.in); memset(&loc[1], ({value}) & 255, 2 * sizeof(int));"
        )
        .expect("a string"),
        17 => writeln!(text, "i1 = sum(a + (({value}) & 3), 4) + sum(loc, 5);").expect("a string"),
        18 => writeln!(text, "i1 += fib(({value}) & 3);").expect("a string"),
        19 => {
            writeln!(text, "i1 = (int)(p - p) + (p == &g1) + (p != &a[2]) + (po == &o2);").expect("a string")
        }
        20 if depth < 4 => {
            writeln!(text, "if ({value}) {{").expect("a string");
            statement(draw, text, depth + 1);
            indent(text, depth);
            text.push_str("} else {\n");
            statement(draw, text, depth + 1);
            indent(text, depth);
            text.push_str("}\n");
        }
        21 if depth < 3 => {
            let name = format!("k{depth}");
            writeln!(text, "for (int {name} = 0; {name} < {}; {name}++) {{", 1 + draw.below(3))
                .expect("a string");
            statement(draw, text, depth + 1);
            indent(text, depth + 1);
            writeln!(text, "i0 += {name};").expect("a string");
            indent(text, depth);
            text.push_str("}\n");
        }
        22 if depth < 4 => {
            writeln!(text, "switch (({value}) & 3) {{ case 0: i0++; case 1: g0--; break; case 2:")
                .expect("a string");
            statement(draw, text, depth + 1);
            indent(text, depth);
            text.push_str("break; default: n0 *= 3; }\n");
        }
        23 if depth < 4 => {
            writeln!(text, "{{ int block[3] = {{ i0, i1 }}; int *in = &block[({value}) & 1]; *in += 2; g2 ^= block[0] + block[1] + block[2]; }}").expect("a string");
        }
        24 => writeln!(text, "n0 = (unsigned)({value}); while (n0 > 9u && i0 < 60) {{ n0 /= 3u; i0++; }}")
            .expect("a string"),
        _ => writeln!(text, "i0 = {value};").expect("a string"),
    }
}
