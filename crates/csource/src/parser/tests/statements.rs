use super::*;

#[test]
fn all_kinds() {
    assert_eq!(body(";"), "{;}");
    assert_eq!(body("if (a) b; else if (c) d; else e;"), "{if a b; else if c d; else e;}");
    assert_eq!(body("if (a) if (b) c; else d;"), "{if a if b c; else d;}");
    assert_eq!(body("while (a) { break; }"), "{while a {break;}}");
    assert_eq!(body("do a; while (b); c;"), "{do a; while b; c;}");
    assert_eq!(body("for (;;) ;"), "{for ; ; : ;}");
    assert_eq!(
        body("for (a = 0; a < 1; a++) continue;"),
        "{for [= a 0]; [Less a 1]; [PostIncrement a]: continue;}"
    );
    assert_eq!(body("for (int i = 0, j; i; ) ;"), "{for Int i = 0, j; i; : ;}");
    assert_eq!(body("return; return a, b;"), "{return ; return [, a b];}");
    assert_eq!(body("goto l; l: goto *p;"), "{goto l; l: goto *p;}");
    assert_eq!(body("{ } { ; }"), "{{} {;}}");
}

#[test]
fn switches_and_labels() {
    assert_eq!(body("switch (a) { case 1: case 2 ... 3: b; default: c; }"), {
        "{switch a {case 1: case 2...3: b; default: c;}}"
    });
    // Duff's device.
    assert_eq!(body("switch (n) { case 0: do { a; case 1: b; } while (--n); }"), {
        "{switch n {case 0: do {a; case 1: b;} while [PreDecrement n];}}"
    });
    assert_eq!(body("switch (a) case 1: b;"), "{switch a case 1: b;}");
    assert_eq!(body("{ l: }"), "{{l: ;}}");
    assert_eq!(body("l: int x; m: T y;"), "{l: ; decl Int x; m: ; decl <T> y;}");
    assert_eq!(body("case_: l: m: a;"), "{case_: l: m: a;}");
    assert_eq!(body("case 'a': b;"), "{case '97': b;}");
    assert_eq!(
        body("switch (a) { case 1: ; int x; default: }"),
        "{switch a {case 1: ; decl Int x; default: ;}}"
    );
    assert_eq!(body("case 1 ? 2 : 3: b;"), "{case [? 1 2 3]: b;}");
}

#[test]
fn attributes_on_statements() {
    assert_eq!(body("switch (x) { case 1: x++; __attribute__((fallthrough)); default: break; }"), {
        "{switch x {case 1: [PostIncrement x]; ; default: break;}}"
    });
    assert_eq!(body("goto l; l: __attribute__((unused)); a;"), "{goto l; l: ; a;}");
    assert_eq!(body("__attribute__((unused)) int x; [[maybe_unused]] T y;"), {
        "{decl @unused Int x; decl @maybe_unused <T> y;}"
    });
    assert_eq!(body("[[fallthrough]];"), "{;}");
    assert_eq!(body("l: __attribute__((unused)) int x;"), "{l: ; decl @unused Int x;}");
    assert_eq!(body("__extension__ int x; __extension__ (a + b);"), "{decl Int x; ([Add a b]);}");
}

#[test]
fn local_labels_and_assertions() {
    assert_eq!(body("__label__ a, b; a: b: ;"), "{labels(a,b); a: b: ;}");
    assert_eq!(body("_Static_assert(1, \"m\"); static_assert(2);"), "{assert 1 Some(\"m\"); assert 2 None;}");
}

#[test]
fn stray_semicolons_and_markers_between_items() {
    let text = "# 1 \"a.c\"\n# 1 \"/usr/include/x.h\" 1 3 4\nint a;;\n#ident \"v\"\n# 2 \"a.c\" 2\nint b;";
    assert_eq!(items(text), ["Int a;", "Int b;"]);
}
