//! The examples of `docs/LANGUAGE.md` are what the language takes: all are read, and systems are built from them.

use base::{Diagnostics, SourceMap};
use spec::{Formula, Model, Settings};
use std::path::Path;

/// The fenced examples: their kind, their first line in the document, their text.
fn examples() -> Vec<(String, usize, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace");
    let document = std::fs::read_to_string(root.join("docs/LANGUAGE.md")).expect("the document");
    let mut examples: Vec<(String, usize, String)> = Vec::new();
    let mut is_open = false;
    for (index, line) in document.lines().enumerate() {
        match line.strip_prefix("```") {
            Some("") => is_open = false,
            Some(kind) => {
                is_open = true;
                examples.push((kind.to_owned(), index + 2, String::new()));
            }
            None if is_open => {
                let (_, _, text) = examples.last_mut().expect("an open example");
                text.push_str(line);
                text.push('\n');
            }
            None => {}
        }
    }
    examples
}

fn shown(diagnostics: &Diagnostics, sources: &SourceMap) -> String {
    let rendered = diagnostics.iter().map(|d| base::render::render(d, sources, base::render::Colour::Never));
    rendered.collect::<Vec<_>>().join("\n")
}

/// No error, and no warning that says more than that an example is only an example.
fn read_specification(text: &str, place: &str) {
    let mut sources = SourceMap::new();
    let id = sources.add(place, text).expect("small");
    let mut diagnostics = Diagnostics::default();
    let specification = spec::parse(&sources, &[id], &mut diagnostics);
    spec::lint(&specification, &mut diagnostics);
    let odd = diagnostics.iter().filter(|diagnostic| diagnostic.code != "unused-name").count();
    assert_eq!(odd, 0, "{}", shown(&diagnostics, &sources));
    let mut model = Model::new(&specification, Settings::default());
    for name in model.names() {
        let system = model.system(&name).unwrap_or_else(|problem| panic!("{place}, {name}: {problem:?}"));
        for assert in &specification.asserts {
            let name = &assert.name.text;
            model.assertion(name, &system).unwrap_or_else(|problem| panic!("{place}, {name}: {problem:?}"));
        }
    }
    model.progress_tests().unwrap_or_else(|problem| panic!("{place}: {problem:?}"));
    assert_eq!(model.diagnostics().iter().count(), 0, "{}", shown(model.diagnostics(), &sources));
}

#[test]
fn every_example_is_read() {
    let mut kinds = std::collections::BTreeMap::new();
    for (kind, line, text) in examples() {
        let place = format!("LANGUAGE.md, line {line}");
        *kinds.entry(kind.clone()).or_insert(0) += 1;
        match kind.as_str() {
            "fsp" => read_specification(&text, &place),
            "seltl" => text.lines().for_each(|formula| {
                Formula::parse(formula, 0)
                    .unwrap_or_else(|problem| panic!("{place}: {formula}: {problem:?}"));
            }),
            "ctl" => {
                let (properties, diagnostics) = spec::ctl::parse(&text, 0);
                assert_eq!(diagnostics.iter().count(), 0, "{place}: {diagnostics:?}");
                assert_eq!(properties.len(), 5, "{place}");
            }
            "testcases" => {
                let (cases, diagnostics) = spec::testcase::parse(&text, 0);
                assert_eq!(diagnostics.iter().count(), 0, "{place}: {diagnostics:?}");
                assert_eq!((cases.rows.len(), cases.assumptions.len()), (2, 1), "{place}");
            }
            "table" => {
                let (name, lks) =
                    spec::table::read(&text, 0).unwrap_or_else(|problem| panic!("{place}: {problem:?}"));
                assert_eq!((&*name.text, lks.transition_count()), ("NAME", 1));
            }
            "aut" => {
                let lks =
                    lks::aut::read("aut", &text, 0).unwrap_or_else(|problem| panic!("{place}: {problem:?}"));
                assert_eq!((lks.transition_count(), lks.error_states().len()), (3, 1));
            }
            other => panic!("{place}: examples of kind {other} are not tested"),
        }
    }
    assert!(kinds["fsp"] >= 5 && kinds.len() == 6, "{kinds:?}");
}
