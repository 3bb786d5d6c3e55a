//! Errors: each is reported once, at the right place, and what is around it is still read.

use super::*;
use base::Span;

/// The code, the line and the column of each error.
fn errors(text: &str) -> Vec<(&'static str, u32, u32)> {
    let mut session = Session::new(DataModel::Lp64);
    let source = session.sources.add("test.i", text).expect("small");
    super::super::parse(source, &mut session);
    let place =
        |span: Span| session.sources.location(span).map_or((0, 0), |place| (place.line, place.column));
    let errors = session.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors.map(|error| (error.code, place(error.span).0, place(error.span).1)).collect()
}

#[test]
fn a_missing_semicolon_is_shown_behind_the_previous_word() {
    assert_eq!(errors("int f(void) {\n  int x = 3\n  return x;\n}"), [("missing-semicolon", 2, 12)]);
    assert_eq!(errors("int f(void) { return 1 }"), [("missing-semicolon", 1, 23)]);
    assert_eq!(errors("struct s { int a; }\nint f(void);"), [("missing-semicolon", 1, 20)]);
    assert_eq!(errors("struct s { int a\n int b; };"), [("missing-semicolon", 1, 17)]);
    let (items, _, _) = read("int f(void) { a = 1\n b = 2; }");
    assert_eq!(items, ["Int f () {[= a 1]; [= b 2];}"]);
}

#[test]
fn several_errors_in_one_run() {
    let text = "int f(void) { return 1 + ; }\nint g(void) { x = (a + 3; return 0; }\nenum e { A, B = , C };\n\
                int h(void) { f(1, , 2); g(; return 0; }\nint ok;";
    assert_eq!(
        errors(text),
        [
            ("expected-expression", 1, 26),
            ("unexpected-token", 2, 25),
            ("expected-expression", 3, 17),
            ("expected-expression", 4, 20),
            ("expected-expression", 4, 28),
        ]
    );
    let (items, _, _) = read(text);
    assert_eq!(items.last().map(String::as_str), Some("Int ok;"));
    assert_eq!(items.len(), 5);
}

#[test]
fn an_unknown_type_is_reported_once() {
    let text = "foo_t a;\nfoo_t b;\nint f(foo_t *p, bar_t q) { foo_t *r = (foo_t *)p; bar_t s; return sizeof(foo_t); }";
    assert_eq!(errors(text), [("unknown-type", 1, 1), ("unknown-type", 3, 17)]);
    assert_eq!(errors("int f(void) { u32 *p = 0; u32 q; return (u32)1; }"), [("unknown-type", 1, 15)]);
    assert_eq!(errors("int x = ((foo *)0)->y;"), [("unknown-type", 1, 11)]);
    assert_eq!(errors("EXPORT int f(void);\nEXPORT int g(void);"), [("unknown-type", 1, 1)]);
    assert_eq!(errors("struct s { foo *next; foo x; };"), [("unknown-type", 1, 12)]);
}

#[test]
fn a_broken_condition_does_not_hide_the_body() {
    let (items, errors, _) = read("int f(void) { if (a + ) { b; } else c; while () d; e; }");
    assert_eq!(errors, ["expected-expression"; 2]);
    assert_eq!(items, ["Int f () {if <error> {b;} else c; while <error> d; e;}"]);
    let (items, errors, _) = read("int f(void) { if (a { b; } else c; for (i = 0; i < 3, i++) { d; } }");
    assert_eq!(errors, ["unexpected-token"; 2]);
    assert_eq!(items, ["Int f () {if a {b;} else c; for ; ; : {d;}}"]);
}

#[test]
fn braces() {
    let mut session = Session::new(DataModel::Lp64);
    let text = "int f(void) {\n    if (x) {\n        y;\n    while (z) {\n    }\n}\nint g(void) {\n}\n";
    let source = session.sources.add("test.i", text).expect("small");
    super::super::parse(source, &mut session);
    let all: Vec<_> = session.diagnostics.iter().collect();
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].code, "unclosed-brace");
    let label_lines: Vec<u32> = all[0]
        .labels
        .iter()
        .filter_map(|(span, _)| session.sources.location(*span))
        .map(|place| place.line)
        .collect();
    assert_eq!(label_lines, [1, 2], "the block that is open, and the one that is suspicious");
    assert_eq!(errors("}\nint x;"), [("unmatched-brace", 1, 1)]);
    assert_eq!(errors("struct s { int a;"), [("unclosed-brace", 1, 18)]);
    assert_eq!(errors("enum e { A,"), [("unclosed-brace", 1, 12)]);
}

#[test]
fn misplaced_things_are_named() {
    assert_eq!(errors("int f(void) { else x; }"), [("else-without-if", 1, 15)]);
    assert_eq!(errors("int f(void) { if (1) int x; }"), [("misplaced-declaration", 1, 22)]);
    assert_eq!(errors("int f(void) { if (1) }"), [("expected-statement", 1, 22)]);
    assert_eq!(errors("return 1;"), [("statement-outside-function", 1, 1)]);
    assert_eq!(errors("unsigned double x;"), [("conflicting-types", 1, 1)]);
    assert_eq!(errors("static extern int x;"), [("two-storage-classes", 1, 8)]);
    assert_eq!(errors("int f(static int x);"), [("misplaced-storage-class", 1, 7)]);
    assert_eq!(errors("_Decimal64 x;"), [("unsupported-type", 1, 1)]);
    assert_eq!(errors("_Complex int x;"), [("unsupported-type", 1, 1)]);
    assert_eq!(errors("int x = __builtin_convertvector(a, b);"), [("unsupported-builtin", 1, 9)]);
    assert_eq!(errors("int 3x;"), [("expected-declarator", 1, 5)]);
    assert_eq!(errors("#define X 1\nint x;"), [("not-preprocessed", 1, 1)]);
}

#[test]
fn bad_literals() {
    assert_eq!(errors("int x = 08;"), [("bad-number", 1, 9)]);
    assert_eq!(errors("char *s = \"abc;\nint y;"), [("unterminated-literal", 1, 11)]);
    assert_eq!(errors("int c = 'ab;\nint y;"), [("unterminated-literal", 1, 9)]);
    assert_eq!(errors("char *s = \"\\xg\";"), [("bad-literal", 1, 12)]);
    assert_eq!(errors("int c = '';"), [("bad-literal", 1, 9)]);
    assert_eq!(errors("/* open"), [("unterminated-comment", 1, 1)]);
    assert_eq!(errors("int @x;"), [("stray-character", 1, 5)]);
}

#[test]
fn what_cannot_be_read_stands_as_an_error() {
    let (items, errors, _) = read("int f(void) { a = ; b = 2; { c d; } e; }");
    assert_eq!(errors.len(), 2);
    assert_eq!(items, ["Int f () {<error>; [= b 2]; {decl implicit d;} e;}"]);
}
