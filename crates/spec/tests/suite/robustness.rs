//! No text makes the parsers panic or run for ever: soups of tokens, damaged models, damaged formulas.

use base::{Budget, Diagnostics, SourceMap};
use proptest::prelude::*;
use spec::{Model, Settings};
use std::time::Duration;

const TOKENS: [&str; 84] = [
    "P",
    "Q",
    "S",
    "N",
    "R",
    "STOP",
    "END",
    "ERROR",
    "a",
    "b",
    "i",
    "x",
    "tau",
    "epsilon",
    "return",
    "when",
    "if",
    "then",
    "else",
    "forall",
    "exists",
    "const",
    "range",
    "set",
    "property",
    "minimal",
    "deterministic",
    "compose",
    "progress",
    "fluent",
    "initially",
    "assert",
    "menu",
    "formula",
    "import",
    "include",
    "cproc",
    "cprog",
    "abstract",
    "predicate",
    "inline",
    "deadlock",
    "rigid",
    "X",
    "U",
    "W",
    "G",
    "F",
    "0",
    "1",
    "2",
    "0x10",
    "$0",
    "$1",
    "->",
    "|",
    "||",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ".",
    ";",
    ":",
    "::",
    "=",
    "==",
    "!=",
    "<",
    ">",
    "<<",
    ">>",
    "+",
    "-",
    "/",
    "\\",
    "@",
    "'",
    "#",
    "..",
    "[]",
];

const MODELS: [&str; 4] = [
    include_str!("../../../../examples/models/dining_philosophers.lts"),
    include_str!("../../../../examples/models/readers_writers.lts"),
    include_str!("../../../../examples/models/bounded_buffer.lts"),
    include_str!("../../../../examples/models/library.spec"),
];

/// Reads, lints and evaluates; the result does not matter.
fn take(text: &str) {
    let mut sources = SourceMap::new();
    let id = sources.add("soup", text.to_owned()).expect("small");
    let mut diagnostics = Diagnostics::default();
    let specification = spec::parse(&sources, &[id], &mut diagnostics);
    spec::lint(&specification, &mut diagnostics);
    let budget = Budget::unlimited().with_time(Duration::from_millis(200));
    let mut model = Model::new(&specification, Settings { most_states: 5_000, budget, minimise: None });
    for name in model.names() {
        if let Ok(system) = model.system(&name) {
            for assert in &specification.asserts {
                let _ = model.assertion(&assert.name.text, &system);
            }
        }
    }
    let _ = model.progress_tests();
    for diagnostic in diagnostics.iter().chain(model.diagnostics().iter()) {
        base::render::render(diagnostic, &sources, base::render::Colour::Never);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn token_soup(words in prop::collection::vec(prop::sample::select(&TOKENS[..]), 0..60), glue in prop::bool::ANY) {
        take(&words.join(if glue { "" } else { " " }));
    }

    #[test]
    fn damaged_models(
        model in prop::sample::select(&MODELS[..]),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, prop::sample::select(&TOKENS[..])), 1..4),
    ) {
        let mut text: Vec<char> = model.chars().collect();
        for (at, length, word) in cuts {
            let at = at.index(text.len());
            let end = (at + length).min(text.len());
            text.splice(at..end, word.chars());
        }
        take(&text.into_iter().collect::<String>());
    }

    #[test]
    fn any_text(text in "\\PC{0,80}") {
        take(&text);
        let _ = spec::Formula::parse(&text, 0);
        let _ = spec::cexpr::CExpression::parse(&text);
        let _ = spec::ctl::parse(&text, 0);
        let _ = spec::testcase::parse(&text, 0);
        let _ = lks::aut::read("any", &text, 0);
        let _ = spec::table::read(&text, 0);
    }

    #[test]
    fn formula_soup(words in prop::collection::vec(prop::sample::select(&TOKENS[..]), 0..30)) {
        let text = words.join(" ");
        if let Ok(formula) = spec::Formula::parse(&text, 0) {
            let again = spec::Formula::parse(&formula.to_string(), 0).expect("its own text");
            prop_assert_eq!(again, formula);
        }
        let _ = spec::ctl::parse(&text, 0);
        let _ = spec::testcase::parse(&text, 0);
    }
}

/// What grows in one direction only must not grow the stack.
#[test]
fn long_chains_are_refused() {
    let many = |part: &str| part.repeat(100_000);
    for text in [
        format!("P = ({}P).", many("a -> ")),
        format!("const N = 0{}", many("+1")),
        format!("P = (a{} -> P).", many(".a")),
        format!("P = (a{} -> P).", many("[0]")),
        format!("P = P{}, P{} = STOP.", many("[0]"), many("[0]")),
        format!("P = (when (1{}) a -> P).", many("&&1")),
        format!("assert A = (a{})", many(" && a")),
        format!("assert A = (a{})", many(" -> a")),
        format!("assert A = {}a", many("!")),
        format!("formula f = a{}", many(" | a")),
        format!("cproc f {{ predicate x{}; }}", many("->y")),
        format!("P = {}STOP.", many("if 1 then ")),
        format!("P = {}STOP{}.", many("(a -> "), many(")")),
        format!("||S = {}P{}.", many("("), many(")")),
        format!("set S = {}a{}", many("{"), many("}")),
        format!("P = {}END.", many("P;")),
    ] {
        take(&text);
    }
    assert_eq!(spec::Formula::parse(&format!("a{}", many(" & a")), 0).unwrap_err().code, "too-deep");
    assert!(spec::Formula::parse(&format!("a{}", " & a".repeat(1000)), 0).is_ok());
    assert!(spec::ctl::parse(&format!("a{}", many(" & a")), 0).1.has_errors());
}

#[test]
fn the_models_themselves_are_fine() {
    for model in MODELS {
        let mut sources = SourceMap::new();
        let id = sources.add("model", model.to_owned()).expect("small");
        let mut diagnostics = Diagnostics::default();
        let specification = spec::parse(&sources, &[id], &mut diagnostics);
        spec::lint(&specification, &mut diagnostics);
        let shown: Vec<_> = diagnostics.iter().map(|problem| &problem.message).collect();
        assert!(shown.is_empty(), "{shown:?}");
    }
}
