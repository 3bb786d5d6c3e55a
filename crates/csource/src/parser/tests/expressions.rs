use super::*;

#[test]
fn precedence_and_associativity() {
    assert_eq!(expr("a + b * c - d"), "[Subtract [Add a [Multiply b c]] d]");
    assert_eq!(expr("a - b - c"), "[Subtract [Subtract a b] c]");
    assert_eq!(expr("a << b + c < d == e & f ^ g | h && i || j"), {
        "[LogicalOr [LogicalAnd [BitOr [BitXor [BitAnd [Equal [Less [ShiftLeft a [Add b c]] d] e] f] g] h] i] j]"
    });
    assert_eq!(
        expr("a || b && c | d ^ e & f == g < h << i + j * k"),
        "[LogicalOr a [LogicalAnd b [BitOr c [BitXor d [BitAnd e [Equal f [Less g [ShiftLeft h [Add i [Multiply j k]]]]]]]]]]"
    );
    assert_eq!(expr("a % b / c * d"), "[Multiply [Divide [Remainder a b] c] d]");
    assert_eq!(expr("a >= b > c <= d != e >> f"), {
        "[NotEqual [LessEqual [Greater [GreaterEqual a b] c] d] [ShiftRight e f]]"
    });
    assert_eq!(expr("(a + b) * c"), "[Multiply ([Add a b]) c]");
}

#[test]
fn assignment_conditional_and_comma() {
    assert_eq!(expr("a = b += c"), "[= a [Add= b c]]");
    assert_eq!(expr("a ? b : c ? d : e"), "[? a b [? c d e]]");
    assert_eq!(expr("a ? b ? c : d : e"), "[? a [? b c d] e]");
    assert_eq!(expr("a ?: b"), "[? a _ b]");
    assert_eq!(expr("a || b ? c, d : e"), "[? [LogicalOr a b] [, c d] e]");
    assert_eq!(expr("a ? b : c + d"), "[? a b [Add c d]]");
    assert_eq!(expr("a = b ? c : d"), "[= a [? b c d]]");
    // C's grammar, not C++'s: the target of the assignment is the whole conditional.
    assert_eq!(expr("a ? b : c = d"), "[= [? a b c] d]");
    assert_eq!(body("a, b, c;"), "{[, [, a b] c];}");
    assert_eq!(body("a = 1, b <<= 2;"), "{[, [= a 1] [ShiftLeft= b 2]];}");
    let operators = [
        ("*=", "Multiply"),
        ("/=", "Divide"),
        ("%=", "Remainder"),
        ("-=", "Subtract"),
        (">>=", "ShiftRight"),
        ("&=", "BitAnd"),
        ("^=", "BitXor"),
        ("|=", "BitOr"),
    ];
    for (written, name) in operators {
        assert_eq!(expr(&format!("a {written} b")), format!("[{name}= a b]"));
    }
}

#[test]
fn unary_and_postfix() {
    assert_eq!(expr("-a * !b"), "[Multiply [Minus a] [Not b]]");
    assert_eq!(expr("*p++"), "[Deref [PostIncrement p]]");
    assert_eq!(expr("++*p"), "[PreIncrement [Deref p]]");
    assert_eq!(expr("- -a"), "[Minus [Minus a]]");
    assert_eq!(expr("a-- - --b"), "[Subtract [PostDecrement a] [PreDecrement b]]");
    assert_eq!(expr("&a[1].b->c(2)(3)"), "[AddressOf a[1].b->c(2)(3)]");
    assert_eq!(expr("~+a"), "[BitNot [Plus a]]");
    assert_eq!(expr("a & &b"), "[BitAnd a [AddressOf b]]");
    assert_eq!(expr("a && &&l"), "[LogicalAnd a &&l]");
    assert_eq!(expr("__real__ z + __imag z"), "[Add [Real z] [Imaginary z]]");
    assert_eq!(expr("__extension__ a + b"), "[Add a b]");
    assert_eq!(expr("f()"), "f()");
    assert_eq!(expr("f((a, b), c = d)"), "f(([, a b]), [= c d])");
}

#[test]
fn casts_and_sizes() {
    assert_eq!(expr("(T)a + b"), "[Add [cast <T> _ a] b]");
    assert_eq!(expr("(T)(a)"), "[cast <T> _ (a)]");
    assert_eq!(expr("(a)(b)"), "(a)(b)");
    assert_eq!(expr("(T)-a"), "[cast <T> _ [Minus a]]");
    assert_eq!(expr("(a)-b"), "[Subtract (a) b]");
    assert_eq!(expr("(T *)&a"), "[cast <T> _ * [AddressOf a]]");
    assert_eq!(expr("(T)a.b"), "[cast <T> _ a.b]");
    assert_eq!(expr("(int (*)(int))a"), "[cast Int _ * (Int _) a]");
    assert_eq!(expr("sizeof(T) * a"), "[Multiply [sizeof <T> _] a]");
    assert_eq!(expr("sizeof (a) * b"), "[Multiply [sizeof (a)] b]");
    assert_eq!(expr("sizeof a[1]"), "[sizeof a[1]]");
    assert_eq!(expr("sizeof -a"), "[sizeof [Minus a]]");
    assert_eq!(expr("sizeof (T){1}"), "[sizeof [literal <T> _ {1}]]");
    assert_eq!(expr("sizeof (T[]){1}[0]"), "[sizeof [literal <T> _ [] {1}][0]]");
    assert_eq!(expr("_Alignof(T) + __alignof__ a"), "[Add [alignof <T> _] [alignof a]]");
    assert_eq!(expr("(T){1, 2}.x"), "[literal <T> _ {1, 2}].x");
    assert_eq!(expr("(struct s){.x = 1}"), "[literal struct s _ {.x=1}]");
    assert_eq!(expr("(T)(T){1}"), "[cast <T> _ [literal <T> _ {1}]]");
    assert_eq!(expr("(const T *const)a"), "[cast const <T> _ const * a]");
}

#[test]
fn literals() {
    assert_eq!(expr("1 + 2u + 3ll + 0x10UL + 'a'"), "[Add [Add [Add [Add 1 2u] 3ll] 16ul] '97']");
    assert_eq!(expr("1.5f"), "1.5:Float");
    assert_eq!(expr("\"a\" \"b\" L\"c\""), "Wide\"abc\"");
    assert_eq!(expr("\"x\"[0]"), "Plain\"x\"[0]");
    assert_eq!(expr("__func__[0] + __PRETTY_FUNCTION__[1]"), "[Add __func__[0] __func__[1]]");
    assert_eq!(expr("0b11 + 1'000"), "[Add 3 1000]");
}

#[test]
fn builtins_with_types() {
    assert_eq!(expr("__builtin_va_arg(ap, T *)"), "[va_arg ap <T> _ *]");
    assert_eq!(expr("__builtin_offsetof(struct s, a.b[2].c)"), "[offsetof struct s _ .a.b[2].c]");
    assert_eq!(expr("__builtin_types_compatible_p(T, int[3])"), "[compatible <T> _ Int _ [3]]");
    assert_eq!(expr("__builtin_choose_expr(1, a, b)"), "[choose 1 a b]");
    assert_eq!(expr("__builtin_expect(!!(a), 0)"), "__builtin_expect([Not [Not (a)]], 0)");
    assert_eq!(expr("_Generic(a, T: 1, char *: 2, default: 3)"), {
        "[generic a <T> _: 1 Char _ *: 2 default: 3]"
    });
}

#[test]
fn statement_expressions() {
    assert_eq!(expr("({ int y = a; y + 1; })"), "({decl Int y = a; [Add y 1];})");
    assert_eq!(expr("({;}) + 1"), "[Add ({;}) 1]");
}

#[test]
fn words_of_later_standards_count_only_when_free() {
    assert_eq!(expr("true"), "[cast Bool _ 1]");
    assert_eq!(expr("nullptr"), "[cast Void _ * 0]");
    assert_eq!(item("enum { false, true }; int x = true;"), "Int x = true;");
    assert_eq!(item("bool b;"), "Bool b;");
    assert_eq!(item("typedef int bool; bool b;"), "<bool> b;");
    assert_eq!(item("int f(bool, bool *p);"), "Int f (Bool _, Bool p *);");
    assert_eq!(item("int bool = 1; int x = bool;"), "Int x = bool;");
    assert_eq!(item("constexpr int x = 3;"), "const Int x = 3;");
    assert_eq!(item("static_assert(1);"), "assert 1 None;");
    assert_eq!(
        item("void static_assert(int); void f(void) { static_assert(1); }"),
        "Void f () {static_assert(1);}"
    );
    assert_eq!(item("alignas(8) int x;"), "align(8) Int x;");
    assert_eq!(expr("(bool)1"), "[cast Bool _ 1]");
}

#[test]
fn spans_cover_what_was_written() {
    let text = "int x = a + (b * c), y;";
    let mut session = Session::new(DataModel::Lp64);
    let source = session.sources.add("test.i", text).expect("small");
    let unit = crate::parser::parse(source, &mut session);
    let crate::syntax::Item::Declaration(declaration) = &unit.items[0] else { panic!("a declaration") };
    let first = &declaration.declarators[0];
    assert_eq!(session.sources.text(declaration.span), text);
    assert_eq!(session.sources.text(first.span), "x = a + (b * c)");
    assert_eq!(session.sources.text(first.declarator.name_span), "x");
    let Some(crate::syntax::Initializer::Expr(sum)) = &first.initializer else { panic!("an expression") };
    assert_eq!(session.sources.text(sum.span), "a + (b * c)");
    let crate::syntax::ExprKind::Binary(_, left, right) = &sum.kind else { panic!("a sum") };
    assert_eq!(session.sources.text(left.span), "a");
    assert_eq!(session.sources.text(right.span), "(b * c)");
}
