//! What users are told: one small program per message, rendered with its caret.

use crate::common::analyse;
use base::render::{Colour, render};
use csource::types::DataModel;

/// All messages on a text, as on a terminal.
fn messages(text: &str) -> String {
    let (session, _) = analyse(text, DataModel::Lp64);
    let rendered: Vec<String> =
        session.diagnostics.iter().map(|d| render(d, &session.sources, Colour::Never)).collect();
    rendered.join("\n")
}

/// The messages on several programs, one after the other.
fn all(programs: &[&str]) -> String {
    programs.iter().map(|program| format!("{}\n\n", messages(program))).collect()
}

/// Compares with the stored messages, without repeating the programs there.
macro_rules! assert_messages {
    ($($program:expr),* $(,)?) => {
        insta::with_settings!({ omit_expression => true }, {
            insta::assert_snapshot!(all(&[$($program),*]));
        });
    };
}

#[test]
fn names() {
    assert_messages!(
        "int counter;\nint f(void) { return couner + couner; }",
        "int f(void) { return nothing_like_it; }",
        "int f(void) { return helper(1) + helper(2); }",
        "typedef int T;\nint x = T;",
        "int f(void) { int x; int x; return x; }",
        "int x;\nlong x;",
        "static int x;\nint x;",
        "int f(int);\nchar f(int);",
        "int f(void) { return 1; }\nint f(void) { return 2; }",
        "int x = 1;\nint x = 2;",
        "int f(int a, int a) { return a; }",
        "enum { A, B, A };",
        "void f(void) { goto missing; }",
        "void f(void) { again: ; again: ; }",
    );
}

#[test]
fn types() {
    assert_messages!(
        "struct s { int x; };\nstruct s { int y; };",
        "struct s { int x; };\nunion s u;",
        "struct unknown v;",
        "void f(void) { struct unknown v; }",
        "int f(struct unknown *p) { return p->x; }",
        "int a[];\nint f(void) { return sizeof a; }",
        "int n;\nint a[n];",
        "int a[-1];",
        "struct s { int a : 40; float f : 3; int b : 0; };",
        "struct s { int tail[]; int n; };",
        "struct s { int x; char x; };",
        "int f(void)[3];",
        "void a[3];",
        "void v;",
        "int x __attribute__((aligned(3)));",
        "_Static_assert(sizeof(int) == 8, \"int is small\");",
        "enum e { BIG = 2147483647, NEXT };",
        "_Alignas(5) int x;",
    );
}

#[test]
fn expressions() {
    assert_messages!(
        "struct s { int x; } v, *p;\nint f(void) { return v.y + p.x + v->x; }",
        "int f(int *p) { return p * 2; }",
        "int f(int x) { return *x; }",
        "int f(int x) { return x[1]; }",
        "int f(int x) { return x(1); }",
        "int f(int a, int b);\nint g(void) { return f(1) + f(1, 2, 3); }",
        "void f(const int x) { x = 1; 5 = x; f(1) = 2; }",
        "int a[3];\nvoid f(void) { a = 0; a++; }",
        "struct s { int x; } v;\nint f(void) { return v + 1; }\nvoid g(void) { if (v) ; v = 3; }",
        "int *f(void) { return &5; }",
        "struct s { int b : 3; } v;\nint *f(void) { return &v.b; }\nint n = sizeof(v.b);",
        "int f(double d, int *p) { return (int)p + (int *)d == 0; }",
        "int f(char *s, int *i) { return s < i; }",
        "char *f(int *p, int n) { char *s = p; s = n; n = p; return p; }",
        "char c = 300;\nunsigned char u = 256;\nint f(void) { return c; }",
        "int x = 2147483647 + 1;\nenum { E = 2147483647 * 2 };",
        "int f(int x) { return x ? &x : 1.5; }",
        "void g(void);\nint f(void) { int x = g(); return g(); }",
        "int f(float f) { return f % 2; }",
        "int f(long x) { return _Generic(x, int: 1, char: 2); }",
        "int f(int x) { return __builtin_choose_expr(x, 1, 2); }",
    );
}

#[test]
fn statements() {
    assert_messages!(
        "void f(void) { break; }\nvoid g(void) { continue; }\nvoid h(void) { case 1: ; default: ; }",
        "void f(int x) { switch (x) { case 1: case 2 ... 5: case 3: default: default: ; } }",
        "void f(int x, float y) { switch (x) { case 1.5: case x: ; } switch (y) { } }",
        "int f(void) { return; }\nvoid g(void) { return 1; }",
        "void f(void) { static int x = f; }",
        "int g;\nstatic int h = g + 1;",
        "void f(int n) { static int a[n]; int b[n] = { 1 }; }",
    );
}

#[test]
fn initializers() {
    assert_messages!(
        "int a[2] = { 1, 2, 3 };",
        "char s[2] = \"abc\";",
        "struct s { int x; } v = { .y = 1 };",
        "int a[3] = { [5] = 1, [-1] = 2 };",
        "int x = { 1, 2 };",
        "int x = { .y = 1 };",
        "int a[3] = 5;",
        "struct s { int x; } v = 5;",
        "int n;\nint a[3] = { [n] = 1 };",
    );
}

/// One mistake gives one message, wherever its consequences are.
#[test]
fn consequences_are_silent() {
    assert_messages!(
        "int f(void) { int x = missing + 1; x = missing * 2; return missing[3]->y.z(missing); }",
        "struct unknown g(struct unknown *p);\nvoid f(void) { struct unknown v; v.x = 1; g(&v); v = *&v; }",
    );
}

/// Headers of the system are not the user's to change.
#[test]
fn system_headers_are_not_warned_about() {
    let text = "# 1 \"h.h\" 1 3\nchar *in_header(int *p) { return p; }\n# 2 \"a.c\" 2\nchar *in_file(int *p) { return p; }";
    let shown = messages(text);
    assert!(shown.contains("in_file") && !shown.contains("in_header"), "{shown}");
}
