//! Nesting and chains: what is deep enough for any program works, what is too deep is said, and nothing overflows.
//!
//! Everything runs on 7/8 of the 2 MiB stack that a thread has by default: callers need some too.

use csource::Session;
use csource::syntax::TranslationUnit;
use csource::types::DataModel;

const STACK: usize = (2 << 20) / 8 * 7;

/// A way to nest: what stands before, the repeated opening, the middle, the repeated closing, what stands behind.
struct Shape(&'static str, &'static str, &'static str, &'static str, &'static str);

const NESTED: &[Shape] = &[
    Shape("int x = ", "(", "1", ")", ";"),
    Shape("void f() {", "if (1) {", ";", "}", "}"),
    Shape("void f() {", "{", ";", "}", "}"),
    Shape("void f() {", "if (1) ", ";", "", "}"),
    Shape("void f() {", "while (1) ", ";", "", "}"),
    Shape("void f() {", "for (;;) {", ";", "}", "}"),
    Shape("void f() {", "do ", ";", " while (0);", "}"),
    Shape("void f() { switch (1) {", "case 1: {", ";", "}", "}}"),
    Shape("int x = ", "{", "1", "}", ";"),
    Shape("int ", "(", "x", ")", ";"),
    Shape("int x = ", "- ", "1", "", ";"),
    Shape("int x = ", "f(", "1", ")", ";"),
    Shape("int x = ", "a[", "1", "]", ";"),
    Shape("void f() { int x = ", "({ 1 + ", "1", "; })", ";}"),
    Shape("", "struct { ", "int x;", "} a;", ""),
    Shape("", "union { struct { ", "int x;", "} a; int b; } c;", ""),
    Shape("", "typeof(", "1", ")", " x;"),
    Shape("int x = ", "(int)", "1", "", ";"),
    Shape("int x = ", "(int)(", "1", ")", ";"),
    Shape("int x = ", "sizeof ", "1", "", ";"),
    Shape("int x = ", "1 ? ", "1", " : 1", ";"),
    Shape("int x = ", "_Generic(", "1", ", int: 1)", ";"),
    Shape("int f", "(int (*x)", "(int x)", ")", ";"),
    Shape("", "int f() {", ";", "}", ""),
    Shape("int x = ", "(int){", "1", "}", ";"),
    Shape("int x = ", "sizeof(int[", "1", "])", ";"),
    Shape("int x = ", "1 + 2 * (", "1", ")", ";"),
    Shape("", "struct { int a[sizeof(", "int", ")]; }", " x;"),
    Shape("int x", "[sizeof(int", "", ")]", ";"),
    Shape("int x ", "__attribute__((aligned(sizeof(int ", "", "))))", ";"),
];

const CHAINED: &[Shape] = &[
    Shape("int x = ", "1 + ", "1", "", ";"),
    Shape("int x = ", "1 + 2 * ", "1", "", ";"),
    Shape("void f() {", "if (1) ; else ", ";", "", "}"),
    Shape("void f() { switch (1) {", "case 1: ", ";", "", "}}"),
    Shape("void f() {", "a: ", ";", "", "}"),
    Shape("void f() {", "a = ", "1", "", ";}"),
    Shape("void f() {", "a, ", "1", "", ";}"),
    Shape("int x = ", "1 ? 1 : ", "1", "", ";"),
    Shape("int x = a", ".b", "", "", ";"),
    Shape("int x = a", "[1]", "", "", ";"),
    Shape("int x = a", "(1)", "", "", ";"),
    Shape("int x = a", "++", "", "", ";"),
];

fn parse_on_small_stack(shape: &Shape, levels: usize) -> Vec<&'static str> {
    let Shape(before, open, middle, close, after) = shape;
    let text = format!("{before}{}{middle}{}{after}", open.repeat(levels), close.repeat(levels));
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let mut session = Session::new(DataModel::Lp64);
        let source = session.sources.add("a.i", text).expect("less than 4 GiB");
        let unit: TranslationUnit = csource::parser::parse(source, &mut session);
        drop(unit);
        let errors =
            session.diagnostics.iter().filter(|diagnostic| diagnostic.severity == base::Severity::Error);
        errors.map(|diagnostic| diagnostic.code).collect()
    });
    thread.expect("a thread can be started").join().expect("no panic and no overflow")
}

#[test]
fn deep_nesting_is_read() {
    for shape in NESTED {
        assert_eq!(parse_on_small_stack(shape, 125), [""; 0], "{}", shape.1);
    }
    // What programs made by other tools contain.
    for shape in &NESTED[..8] {
        assert_eq!(parse_on_small_stack(shape, 500), [""; 0], "{}", shape.1);
    }
}

#[test]
fn deepest_nesting_fits_the_stack() {
    for shape in NESTED {
        for levels in [1_100, 100_000] {
            assert_eq!(parse_on_small_stack(shape, levels), ["nested-too-deeply"], "{} {levels}", shape.1);
        }
    }
}

#[test]
fn long_chains_are_read() {
    for shape in CHAINED {
        assert_eq!(parse_on_small_stack(shape, 10_000), [""; 0], "{}", shape.1);
    }
}

#[test]
fn longest_chains_fit_the_stack() {
    for shape in CHAINED {
        assert_eq!(parse_on_small_stack(shape, 100_000), ["nested-too-deeply"], "{}", shape.1);
    }
}

/// Chains within chains: the sum counts, not each one.
#[test]
fn chains_inside_nesting_add_up() {
    let chain = "1 + ".repeat(2_000);
    let nested: &'static str = format!("({chain}").leak();
    assert_eq!(parse_on_small_stack(&Shape("int x = ", nested, "1", " + 1)", ";"), 5), [""; 0]);
    // Left operands: the parenthesis is the innermost operand of the chain around it.
    let tail: &'static str = format!("){}", " + 1".repeat(2_000)).leak();
    assert_eq!(parse_on_small_stack(&Shape("int x = ", "(", "1", tail, ";"), 5), [""; 0]);
    assert_eq!(parse_on_small_stack(&Shape("int x = ", "(", "1", tail, ";"), 300), ["nested-too-deeply"]);
    let body: &'static str = format!("({{ {} x = ", "if (1) ; else ".repeat(2_000)).leak();
    assert_eq!(
        parse_on_small_stack(&Shape("void f() { x = ", body, "1", "; })", ";}"), 100),
        ["nested-too-deeply"]
    );
}

/// Many statements after each other do not add up.
#[test]
fn sequences_have_no_limit() {
    let shape = Shape("void f() {", "a = b + c, d(e); if (a) b; else if (c) d; ", "", "", "}");
    assert_eq!(parse_on_small_stack(&shape, 50_000), [""; 0]);
    assert_eq!(parse_on_small_stack(&Shape("int x[] = {", "1 + 2, ", "", "", "};"), 50_000), [""; 0]);
    assert_eq!(parse_on_small_stack(&Shape("enum {", "A = 1 + 2, ", "", "", "};"), 50_000), [""; 0]);
}
