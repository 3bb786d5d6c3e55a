use super::*;

fn tokens(text: &str) -> (Vec<(TokenKind, String)>, usize) {
    let mut names = Interner::default();
    let mut diagnostics = Diagnostics::default();
    let lexed = lex(text, 1, &mut names, &mut diagnostics);
    let shown = lexed.tokens.iter().map(|token| {
        let written = &text[token.start as usize..token.end as usize];
        let text = if token.kind == TokenKind::Name { names.text(token.symbol) } else { written };
        (token.kind, text.to_owned())
    });
    let mut shown: Vec<_> = shown.collect();
    assert_eq!(shown.pop().map(|(kind, _)| kind), Some(TokenKind::End));
    (shown, diagnostics.error_count())
}

fn kinds(text: &str) -> Vec<TokenKind> {
    let (tokens, errors) = tokens(text);
    assert_eq!(errors, 0, "{text}");
    tokens.into_iter().map(|(kind, _)| kind).collect()
}

#[test]
fn longest_punctuation_wins() {
    use TokenKind::*;
    assert_eq!(kinds("a+++b"), [Name, PlusPlus, Plus, Name]);
    assert_eq!(
        kinds("<<=>>=->...<<>>&&||==!=<=>="),
        [
            ShiftLeftEqual,
            ShiftRightEqual,
            Arrow,
            Ellipsis,
            ShiftLeft,
            ShiftRight,
            AndAnd,
            BarBar,
            EqualEqual,
            ExclamationEqual,
            LessEqual,
            GreaterEqual
        ]
    );
    assert_eq!(kinds("<: :> <% %>"), [LeftBracket, RightBracket, LeftBrace, RightBrace]);
    assert_eq!(kinds(".."), [Dot, Dot]);
}

#[test]
fn numbers_are_cut_as_the_standard_says() {
    let texts = |text| tokens(text).0.into_iter().map(|(_, text)| text).collect::<Vec<_>>();
    assert_eq!(texts("1.5e+3 .5 0x1p-2 1..2 0xe+1 1'000 a.b"), {
        ["1.5e+3", ".5", "0x1p-2", "1..2", "0xe+1", "1'000", "a", ".", "b"]
    });
    assert_eq!(texts("x=1-2"), ["x", "=", "1", "-", "2"]);
}

#[test]
fn comments_markers_and_splices_vanish() {
    use TokenKind::*;
    assert_eq!(kinds("a /* b \n * c */ d // e \\\n f\ng"), [Name, Name, Name]);
    assert_eq!(kinds("# 1 \"a.c\"\na\n  # 2 \"b.c\" 3\n#line 4\nb \\\n c"), [Name, Name, Name]);
    assert_eq!(kinds("a/b/ /*x*/c"), [Name, Slash, Name, Slash, Name]);
}

#[test]
fn prefixes_belong_to_literals() {
    use TokenKind::*;
    assert_eq!(
        kinds("L\"a\" u8\"b\" u'c' U\"\" L x u8"),
        [String, String, Character, String, Name, Name, Name]
    );
    assert_eq!(kinds("R\"(a\"b)\" \"\\\"\" '\\''"), [String, String, Character]);
}

#[test]
fn names_beyond_ascii_have_one_spelling() {
    let (shown, errors) = tokens("caf\\u00e9 café \\u00e9t\\u00e9 été");
    assert_eq!(errors, 0);
    let names: Vec<&str> = shown.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(names, ["café", "café", "été", "été"]);
}

#[test]
fn pragma_operators_vanish() {
    use TokenKind::*;
    assert_eq!(kinds("_Pragma(\"GCC diagnostic push\") int x;"), [Int, Name, Semicolon]);
    assert_eq!(kinds("#pragma once\nint x;"), [Int, Name, Semicolon]);
}

#[test]
fn mistakes_are_counted_once_each() {
    for (text, errors) in
        [("@", 1), ("\"abc\n", 1), ("'", 1), ("/*", 1), ("\\x", 1), ("#include <a>\n", 1), ("a\\\nb", 1)]
    {
        assert_eq!(tokens(text).1, errors, "{text}");
    }
}
