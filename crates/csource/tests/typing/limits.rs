//! The deepest trees that the parser lets through: typing and dropping them needs no more than a thread's usual stack.

use csource::Session;
use csource::types::DataModel;

/// 7/8 of what a thread has by default: callers need some too.
const STACK: usize = (2 << 20) / 8 * 7;

/// What stands before, the repeated opening, the middle, the repeated closing, what stands behind.
struct Shape(&'static str, &'static str, &'static str, &'static str, &'static str);

const NESTED: &[Shape] = &[
    Shape("int x = ", "(", "1", ")", ";"),
    Shape("void f(void) {", "if (1) {", ";", "}", "}"),
    Shape("void f(void) {", "{", "int x = 1;", "}", "}"),
    Shape("void f(void) {", "for (int i = 0; i < 3; i++) {", ";", "}", "}"),
    Shape("void f(void) {", "do ", ";", " while (0);", "}"),
    Shape("void f(int x) { switch (x) {", "case 1: switch (x) {", ";", "}", "}}"),
    Shape("int x = ", "{", "1", "}", ";"),
    Shape("int x = ", "- ", "1", "", ";"),
    Shape("int f(int); void g(void) { f(", "f(", "1", ")", ");}"),
    Shape("int a[9]; int g(void) { return ", "a[", "1", "]", ";}"),
    Shape("void f(void) { int x = ", "({ 1 + ", "1", "; })", ";}"),
    Shape("", "struct { ", "int x;", "} a;", ""),
    Shape("", "struct { ", "int x;", "};", ""),
    Shape("", "typeof(", "1", ")", " x;"),
    Shape("int x = ", "(char)", "1", "", ";"),
    Shape("int x = ", "sizeof ", "1", "", ";"),
    Shape("int x = ", "1 ? ", "1", " : 1", ";"),
    Shape("int x = ", "_Generic(", "1", ", int: 1)", ";"),
    Shape("int f", "(int (*x)", "(int x)", ")", ";"),
    Shape("int x = ", "(int){", "1", "}", ";"),
    Shape("int x = ", "sizeof(char[", "1", "])", ";"),
    Shape("int *", "*", "x", "", ";"),
    Shape("int x", "[1]", "", "", ";"),
    Shape("void f(int n) { int x = ", "({ int a[n + ", "1", "]; a[0]; })", ";}"),
    Shape("struct s { struct s *n; } x; void f(void) { x = ", "(struct s){ &", "x", "}", ";}"),
    Shape("int x = ", "__builtin_expect(", "1", ", 0)", ";"),
    Shape("int x = ", "__builtin_choose_expr(1, ", "1", ", 2)", ";"),
];

const CHAINED: &[Shape] = &[
    Shape("int x = ", "1 + ", "1", "", ";"),
    Shape("char c; int f(void) { return ", "c + ", "1.5", "", ";}"),
    Shape("int x = ", "1 + 2 * ", "1", "", ";"),
    Shape("int x = ", "1 && ", "1", "", ";"),
    Shape("int a; void f(void) {", "if (a) ; else ", ";", "", "}"),
    Shape("int a; void f(void) {", "a = ", "1", "", ";}"),
    Shape("int a; void f(void) {", "a += ", "1", "", ";}"),
    Shape("int a; void f(void) {", "a, ", "1", "", ";}"),
    Shape("int x = ", "1 ? 1 : ", "1", "", ";"),
    Shape("int *p; int f(void) { return p == ", "1 ? p : ", "0", "", ";}"),
    Shape("struct s { struct s *p; } *a; void f(void) { a = a", "->p", "", "", ";}"),
    Shape("typedef struct s *(*F)(void); struct s { F f; } *a; void f(void) { a", "->f()", "", "", ";}"),
];

/// The codes of the errors.
fn codes(shape: &Shape, levels: usize) -> Vec<&'static str> {
    let Shape(before, open, middle, close, after) = shape;
    let text = format!("{before}{}{middle}{}{after}", open.repeat(levels), close.repeat(levels));
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let mut session = Session::new(DataModel::Lp64);
        let source = session.sources.add("deep.i", text).expect("less than 4 GiB");
        let unit = csource::parser::parse(source, &mut session);
        drop(csource::sema::analyse(&unit, &mut session));
        let errors = session.diagnostics.iter().filter(|d| d.severity == base::Severity::Error);
        errors.map(|diagnostic| diagnostic.code).collect()
    });
    thread.expect("a thread can be started").join().expect("no panic and no overflow")
}

#[test]
fn deep_nesting_is_typed() {
    for shape in NESTED {
        assert_eq!(codes(shape, 120), [""; 0], "{}", shape.1);
    }
}

/// Just below what the parser refuses, whatever that is for the shape.
#[test]
fn deepest_nesting_fits_the_stack() {
    for shape in NESTED.iter().chain(CHAINED) {
        let most = if CHAINED.iter().any(|chained| chained.1 == shape.1) { 11_000 } else { 1_000 };
        let (mut reads, mut refuses) = (100, most);
        while refuses - reads > most / 50 {
            let middle = (reads + refuses) / 2;
            if codes(shape, middle).contains(&"nested-too-deeply") {
                refuses = middle;
            } else {
                reads = middle;
            }
        }
        assert!(reads >= 100, "{}", shape.1);
    }
}

#[test]
fn long_chains_are_typed() {
    for shape in CHAINED {
        assert_eq!(codes(shape, 5_500), [""; 0], "{}", shape.1);
    }
}

#[test]
fn long_switches_and_labels_are_typed() {
    let mut cases = String::from("int f(int x) { switch (x) {");
    for value in 0..10_000 {
        cases.push_str(&format!("case {value}: "));
    }
    cases.push_str("return 1; } ");
    for label in 0..1_000 {
        cases.push_str(&format!("l{label}: "));
    }
    cases.push_str("return 0; }");
    let text: &'static str = cases.leak();
    assert_eq!(codes(&Shape(text, "", "", "", ""), 1), [""; 0]);
}
