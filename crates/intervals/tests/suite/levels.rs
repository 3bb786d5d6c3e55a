//! Levels of precision: programs whose assertion fails in a run (compiled and run with sanitizers, `bench/intervals`) must
//! stay open at every level; programs that do nothing wrong are excluded as a whole at the level they were written for.

use base::Budget;
use intervals::{Analysis, Certainty, Precision, Settings, analyse, analyse_closely, usual_levels};
use program::{DataModel, Origin};
use std::path::Path;

fn programs(prefix: &str) -> Vec<std::path::PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/levels");
    let is_meant = |path: &std::path::PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix))
    };
    let found: Vec<_> = testkit::c::files_below(&folder).into_iter().filter(is_meant).collect();
    assert!(found.len() > 5, "the programs are in tests/levels");
    found
}

fn at_level(level: u8) -> Settings {
    Settings { precision: Precision::level(level), ..Settings::default() }
}

/// What stays open in the program's own code, in words.
fn open(analysis: &Analysis<'_>) -> Vec<String> {
    let program = analysis.program();
    let findings = analysis.findings.iter().filter(|finding| {
        finding.certainty != Certainty::Excluded
            && program.procedures[finding.procedure].origin == Origin::User
    });
    let findings = findings.map(|finding| format!("{}: {}", finding.kind.name(), finding.about));
    let calls = analysis.error_calls.iter().filter(|call| call.can_be_reached);
    findings.chain(calls.map(|call| format!("{} is called", call.function))).collect()
}

#[test]
fn assertions_that_fail_stay_open_at_every_level() {
    for path in programs("fails_") {
        let program = testkit::c::load(&path, DataModel::Lp64);
        for level in 0..=4 {
            let settings = at_level(level);
            let analysis = analyse(&program, &settings, &Budget::unlimited()).expect("no limit");
            let is_open = analysis.error_calls.iter().any(|call| call.can_be_reached);
            assert!(is_open, "{} at level {level}: the assertion fails in a run", path.display());
        }
        let levels = usual_levels(&Settings::default());
        let analysis = analyse_closely(&program, &levels, &Budget::unlimited()).expect("no limit");
        assert!(analysis.error_calls.iter().any(|call| call.can_be_reached), "{}", path.display());
    }
}

#[test]
fn programs_without_a_mistake_are_excluded_as_a_whole() {
    for path in programs("holds_") {
        let program = testkit::c::load(&path, DataModel::Lp64);
        let levels = usual_levels(&Settings::default());
        let analysis = analyse_closely(&program, &levels, &Budget::unlimited()).expect("no limit");
        let mut open = open(&analysis);
        // That the final value of a search is the number sought is no matter of ranges.
        if path.ends_with("holds_relation.c") {
            open.retain(|what| !what.ends_with("is called"));
        }
        assert!(open.is_empty(), "{}: {open:?}", path.display());
    }
}

#[test]
fn reasons_name_values_limits_and_sources() {
    let text =
        "int main(void) {\n  int buf[16], i;\n  for (i = 0; i <= 16; i++)\n    buf[i] = i;\n  return 0;\n}\n";
    let program = super::common::load_text("off_by_one", text);
    let levels = usual_levels(&Settings::default());
    let analysis = analyse_closely(&program, &levels, &Budget::unlimited()).expect("no limit");
    let finding = analysis
        .findings
        .iter()
        .find(|one| one.certainty != Certainty::Excluded)
        .expect("it is past the end");
    let why = analysis.why(finding).expect("there is a reason");
    assert_eq!(why.text, "`i` is {0..16}, and `buf` has 16 elements");
    assert_eq!(why.values, [("i".to_owned(), "{0..16}".to_owned())]);
    let (value, span) = why.origin.expect("it comes from the loop");
    let line = program.sources.location(span).map(|place| place.line);
    assert_eq!((value.as_str(), line), ("16", Some(3)));
}

#[test]
fn blocks_of_one_call_are_told_apart() {
    let text = "#include <assert.h>\n#include <stdlib.h>\n\
        static int *make(int v) { int *p = malloc(sizeof *p); if (p) *p = v; return p; }\n\
        int main(void) {\n  int *a = make(1), *b = make(2);\n  if (!a || !b) return 0;\n\
        assert(a != b && *a == 1 && *b == 2);\n  free(a);\n  assert(*b == 2);\n  free(b);\n  return 0;\n}\n";
    let program = super::common::load_text("blocks", text);
    let settings = at_level(3);
    let analysis = analyse(&program, &settings, &Budget::unlimited()).expect("no limit");
    assert_eq!(open(&analysis), Vec::<String>::new());
    let freed = text.replace("free(b);", "free(b); return *b;");
    let program = super::common::load_text("freed", &freed);
    let analysis = analyse(&program, &settings, &Budget::unlimited()).expect("no limit");
    assert_eq!(open(&analysis), ["use-after-free: *b"]);
}
