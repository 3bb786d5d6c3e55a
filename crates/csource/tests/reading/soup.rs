//! Input that is no C: random tokens and mutilated programs never make the parser panic or hang.

use csource::Session;
use csource::types::DataModel;
use proptest::prelude::*;
use std::path::Path;

/// Pieces that the parser treats specially somewhere, and the glue between them.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ";",
    ",",
    ".",
    "...",
    "->",
    "++",
    "--",
    "&",
    "*",
    "*",
    "+",
    "-",
    "~",
    "!",
    "/",
    "%",
    "<<",
    ">>",
    "<",
    ">",
    "==",
    "^",
    "|",
    "&&",
    "||",
    "?",
    ":",
    "=",
    "+=",
    "<<=",
    "#",
    "\\",
    "\"",
    "'",
    "@",
    "x",
    "y",
    "T",
    "T",
    "f",
    "main",
    "0",
    "1",
    "0x",
    "1.5e",
    "08",
    "1.0f",
    "'a'",
    "''",
    "\"s\"",
    "L\"w\"",
    "u8\"\\xg\"",
    "R\"(\"",
    "int",
    "int",
    "char",
    "void",
    "unsigned",
    "long",
    "_Complex",
    "double",
    "struct",
    "union",
    "enum",
    "typedef",
    "typedef",
    "static",
    "extern",
    "const",
    "_Atomic",
    "_Atomic(",
    "__attribute__((",
    "))",
    "[[",
    "]]",
    "if",
    "else",
    "while",
    "do",
    "for",
    "switch",
    "case",
    "default",
    "goto",
    "break",
    "return",
    "sizeof",
    "_Alignof",
    "_Alignas(",
    "_Generic(",
    "_Static_assert(",
    "__builtin_va_arg(",
    "__builtin_offsetof(",
    "__builtin_types_compatible_p(",
    "__builtin_choose_expr(",
    "typeof(",
    "__extension__",
    "__label__",
    "asm(",
    "asm goto(",
    "__auto_type",
    "_BitInt(",
    "__real__",
    "\n",
    "\n#pragma pack(push, 1)\n",
    "\n#pragma pack(pop)\n",
    "_Pragma(\"pack(2)\")",
    "\n# 3 \"a.c\" 1\n",
    "\n#line\n",
    "/*",
    "*/",
    "//",
    "é",
    "\\u00e9",
    "\u{10FFE9}",
    "true",
    "bool",
    "constexpr",
    "static_assert(",
    "nullptr",
    "__declspec(",
    "__func__",
    "({",
    "})",
    "(T)",
    "(int){",
    "[0 ... 1]",
];

/// Parses, and checks what must hold whatever the text is.
fn must_survive(text: &str) {
    let mut session = Session::new(DataModel::Lp64);
    let Some(source) = session.sources.add("soup.i", text) else { return };
    let unit = csource::parser::parse(source, &mut session);
    let base = session.sources.source(source).base();
    let end = base + text.len() as u32;
    for diagnostic in session.diagnostics.iter() {
        let span = diagnostic.span;
        assert!(
            base <= span.start && span.start <= span.end && span.end <= end,
            "{span:?} of {diagnostic:?}"
        );
        base::render::render(diagnostic, &session.sources, base::render::Colour::Never);
    }
    // The second reading of the same text must give the same answer: nothing may leak between units.
    let count = session.diagnostics.error_count();
    let Some(again) = session.sources.add("soup.i", text) else { return };
    let second = csource::parser::parse(again, &mut session);
    assert_eq!(session.diagnostics.error_count(), 2 * count);
    assert_eq!(unit.items.len(), second.items.len());
}

/// Programs to mutilate: those of this crate, as they are written (directives are errors, which is fine here).
fn programs() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let files = crate::common::files_below(&folder, &["c"]);
    let texts: Vec<String> = files
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("UTF-8"))
        .map(without_directives)
        .collect();
    assert!(!texts.is_empty());
    texts
}

fn without_directives(text: String) -> String {
    let is_kept = |line: &&str| !line.starts_with("#include") && !line.starts_with("#define");
    text.lines().filter(is_kept).map(|line| line.to_owned() + "\n").collect()
}

/// Cuts a text roughly where tokens end.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        words.push(word);
        rest = after;
    }
    words
}

#[derive(Clone, Debug)]
enum Edit {
    Delete(prop::sample::Index),
    Duplicate(prop::sample::Index),
    Swap(prop::sample::Index, prop::sample::Index),
    Insert(prop::sample::Index, &'static str),
    Truncate(prop::sample::Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        4 => at().prop_map(Edit::Delete),
        2 => at().prop_map(Edit::Duplicate),
        2 => (at(), at()).prop_map(|(a, b)| Edit::Swap(a, b)),
        4 => (at(), prop::sample::select(PIECES)).prop_map(|(a, piece)| Edit::Insert(a, piece)),
        1 => at().prop_map(Edit::Truncate),
    ]
}

fn apply(words: &mut Vec<&'static str>, edit: Edit) {
    if words.is_empty() {
        return;
    }
    let length = words.len();
    match edit {
        Edit::Delete(at) => {
            words.remove(at.index(length));
        }
        Edit::Duplicate(at) => words.insert(at.index(length), words[at.index(length)]),
        Edit::Swap(a, b) => words.swap(a.index(length), b.index(length)),
        Edit::Insert(at, piece) => words.insert(at.index(length), piece),
        Edit::Truncate(at) => words.truncate(at.index(length)),
    }
}

/// How many cases: more when the deep run is asked for.
fn cases() -> u32 {
    if std::env::var_os("CONCORD_DEEP").is_some() { 20_000 } else { 500 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_tokens_are_survived(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..200), glue in "[ \n]{0,1}") {
        must_survive(&format!("typedef int T;{}", pieces.join(&glue)));
    }

    #[test]
    fn random_characters_are_survived(text in "\\PC{0,200}") {
        must_survive(&text);
    }

    #[test]
    fn mutilated_programs_are_survived(which in any::<prop::sample::Index>(), edits in prop::collection::vec(edit(), 1..12)) {
        static WORDS: std::sync::OnceLock<Vec<Vec<&'static str>>> = std::sync::OnceLock::new();
        let all = WORDS.get_or_init(|| programs().into_iter().map(|text| words(text.leak())).collect());
        let mut words = all[which.index(all.len())].clone();
        for edit in edits {
            apply(&mut words, edit);
        }
        must_survive(&words.concat());
    }
}
