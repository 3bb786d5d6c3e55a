//! Typedef names and what hides them.

use super::*;

#[test]
fn locals_and_parameters_hide_typedefs() {
    assert_eq!(
        body("int T = 3; x = T * 2; { T = 4; }"),
        "{decl Int T = 3; [= x [Multiply T 2]]; {[= T 4];}}"
    );
    assert_eq!(body("{ int T; T = 1; } T y; T * z;"), "{{decl Int T; [= T 1];} decl <T> y; decl <T> z *;}");
    assert_eq!(
        item("typedef int T; int f(int T) { return T * 2; }"),
        "Int f (Int T) {return [Multiply T 2];}"
    );
    assert_eq!(items("typedef int T; int f(int T); T x;")[2], "<T> x;");
}

#[test]
fn a_parameter_list_is_its_own_scope() {
    assert_eq!(item("typedef int T; int f(T T, int a[sizeof T]);"), "Int f (<T> T, Int a [[sizeof T]]);");
    assert_eq!(item("typedef int T; int f(int (T));"), "Int f (Int _ (<T> _));");
    assert_eq!(item("typedef int T; int f(int (*T)(T));"), "Int f (Int T * (<T> _));");
    assert_eq!(item("typedef int T; void g(void f(int T), T x);"), "Void g (Void f (Int T), <T> x);");
    assert_eq!(
        item("typedef int T; int f(enum { A, T } x) { return T; }"),
        "Int f (enum{A,T} x) {return T;}"
    );
}

#[test]
fn the_name_is_known_in_its_own_initializer() {
    assert_eq!(body("int T = sizeof(T);"), "{decl Int T = [sizeof (T)];}");
    assert_eq!(body("T T = 1; x = T;"), "{decl <T> T = 1; [= x T];}");
    assert_eq!(body("T a, T, b = T;"), "{decl <T> a, T, b = T;}");
}

#[test]
fn members_tags_and_labels_are_names_of_their_own() {
    assert_eq!(item("typedef int T; struct T { T T; T *U; unsigned T2; } T1;"), {
        "struct T{<T> T; <T> U *; UnsignedInt T2;} T1;"
    });
    assert_eq!(body("x = p->T + q.T;"), "{[= x [Add p->T q.T]];}");
    assert_eq!(body("goto T; T: x = 1; T: ;"), "{goto T; T: [= x 1]; T: ;}");
    assert_eq!(body("struct T s = { .T = 1 }; struct T t = { T: 2 };"), {
        "{decl struct T s = {.T=1}; decl struct T t = {.T=2};}"
    });
    assert_eq!(body("x = a ? (T)b : c;"), "{[= x [? a [cast <T> _ b] c]];}");
    assert_eq!(body("switch (x) { case 1: T: ; }"), "{switch x {case 1: T: ;}}");
}

#[test]
fn enum_constants_and_for_loops_hide() {
    assert_eq!(
        body("{ enum { T }; x = T * y; } T z;"),
        "{{decl enum{T}; [= x [Multiply T y]];} decl <T> z;}"
    );
    assert_eq!(body("for (int T = 0; T < 3; T++) T * 1; T z;"), {
        "{for Int T = 0; [Less T 3]; [PostIncrement T]: [Multiply T 1]; decl <T> z;}"
    });
}

#[test]
fn typedefs_again_and_inside() {
    assert_eq!(items("typedef int T; typedef int T; T x;")[2], "<T> x;");
    assert_eq!(body("int U; typedef char T; T x; { typedef long U; U y; } U * x;"), {
        "{decl Int U; decl typedef Char T; decl <T> x; {decl typedef Long U; decl <U> y;} [Multiply U x];}"
    });
    assert_eq!(items("typedef int T; unsigned T; int x = T;")[2], "Int x = T;");
    assert_eq!(item("typedef int T; const T x;"), "const <T> x;");
    assert_eq!(item("typedef int T; int (T); int x = T;"), "Int x = T;");
    assert_eq!(item("typedef int T; T (x);"), "<T> x;");
    assert_eq!(item("typedef T_undefined_before; T_undefined_before y;"), "<T_undefined_before> y;");
}

#[test]
fn function_pointers_and_nested_functions() {
    assert_eq!(
        body("int g(int y) { return x + y; } g(1);"),
        "{nested Int g (Int y) {return [Add x y];} g(1);}"
    );
    assert_eq!(body("auto int g(int); T h(T T) { return T; }"), {
        "{decl auto Int g (Int _); nested <T> h (<T> T) {return T;}}"
    });
}
