//! What can go wrong, what is printed, what is known for others.

mod common;

use base::Budget;
use intervals::checks::CheckKind;
use intervals::domain::operators::{Certainty, Overflow};
use intervals::domain::value::Value;
use intervals::settings::Reads;
use intervals::testcases::TestCases;
use intervals::{Analysis, Invariants, Settings, analyse};
use program::Program;

fn certainties(analysis: &Analysis<'_>, kind: CheckKind) -> Vec<(String, Certainty)> {
    let all = analysis.findings.iter().filter(|finding| finding.kind == kind);
    all.map(|finding| (finding.about.clone(), finding.certainty)).collect()
}

#[test]
fn definite_possible_and_excluded() {
    let text = "extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);\n\
        int a[10];\n\
        int main(void) {\n\
          int x = __VERIFIER_nondet_int(); int c = __VERIFIER_nondet_uchar(); int u; int *p = 0; int *q = &x;\n\
          int safe = 10 / (c + 1); int unsafe = 10 / c; int sum = c + 1; int big = x + 1;\n\
          if (c < 10) a[c] = 1; else if (c < 12) a[c] = 2;\n\
          if (x == 3) { int r = u; } if (x == 4) { *p = 1; } *q = 2;\n\
          return 0; }\n";
    let program = common::load_text("certainties", text);
    let settings = Settings::default();
    let analysis = analyse(&program, &settings, &Budget::unlimited()).expect("no limit");
    use Certainty::*;
    let of = |kind, about: &str| {
        let all = certainties(&analysis, kind);
        let found: Vec<Certainty> =
            all.iter().filter(|(text, _)| text == about).map(|(_, how)| *how).collect();
        assert!(!found.is_empty(), "{kind:?} of {about} is not among {all:?}");
        found
    };
    assert_eq!(of(CheckKind::DivisionByZero, "10 / (c + 1)"), [Excluded]);
    assert_eq!(of(CheckKind::DivisionByZero, "10 / c"), [Possible]);
    assert_eq!(of(CheckKind::Overflow, "x + 1"), [Possible]);
    assert!(of(CheckKind::Overflow, "c + 1").iter().all(|how| *how == Excluded));
    assert_eq!(of(CheckKind::OutOfBounds, "a[c]"), [Excluded, Definite]);
    assert_eq!(of(CheckKind::Uninitialised, "u"), [Definite]);
    assert_eq!(of(CheckKind::NullDereference, "*p"), [Definite]);
    assert_eq!(of(CheckKind::NullDereference, "*q"), [Excluded]);
}

#[test]
fn conditions_with_one_outcome_and_error_calls() {
    let text = "void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
        int main(void) { int x = __VERIFIER_nondet_int(); if (x > 5) { if (x > 3) x = 1; } if (x > 5) reach_error();\n\
        if (x == 0) reach_error(); return 0; }\n";
    let program = common::load_text("outcomes", text);
    let settings = Settings::default();
    let analysis = analyse(&program, &settings, &Budget::unlimited()).expect("no limit");
    let outcomes: Vec<bool> = analysis.constant_conditions.iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, [true, false]);
    let reached: Vec<bool> = analysis.error_calls.iter().map(|one| one.can_be_reached).collect();
    assert_eq!(reached, [false, true]);
}

fn with_tests(text: &str) -> Settings {
    let (file, diagnostics) = spec::testcase::parse(text, 0);
    assert!(!diagnostics.has_errors());
    Settings { tests: TestCases::from(&file), reads: Reads::Deliver, ..Settings::default() }
}

/// The integers that the print statements print, in order.
fn printed(program: &Program, settings: &Settings) -> Vec<String> {
    let analysis = analyse(program, settings, &Budget::unlimited()).expect("no limit");
    let values = analysis.outputs.iter().flat_map(|output| &output.values);
    values
        .filter_map(
            |(_, value)| if let Value::Integer(number) = value { Some(number.to_string()) } else { None },
        )
        .collect()
}

#[test]
fn test_cases_are_consumed_in_order() {
    let text = "#include <stdio.h>\nextern int __VERIFIER_nondet_int(void);\nint a; int b;\n\
        int main(void) {\n\
          scanf(\"%d\", &a);\n\
          printf(\"%d\", a);\n\
          for (int i = 0; i < 3; i++) {\n\
            b = __VERIFIER_nondet_int();\n\
            if (i == 0) printf(\"%d\", b);\n\
          }\n\
          printf(\"%d\", b);\n\
          return 0; }\n";
    let program = common::load_text("tests", text);
    let settings = with_tests("LINE 5 a 4 TO 5, 7\n8 b [1, 2]\n8 b [10, INF]\nLINE 0 b [0, 100]\n");
    let shown = printed(&program, &settings);
    assert_eq!(shown[0], "{4..5, 7}");
    // The loop's rounds are joined; which row is consumed is kept apart as long as the round is known.
    assert_eq!(shown[1], "{1..2}");
    assert!(shown[2] == "{10..100}" || shown[2] == "{1..2, 10..100}", "{shown:?}");
}

#[test]
fn invariants_hold_as_terms_and_as_c() {
    let text = "extern int __VERIFIER_nondet_int(void);\nvoid mark(void) {}\n\
        int main(void) { int i = 0; int n = __VERIFIER_nondet_int(); if (n < 0) return 0; while (i < n) { i++; } mark(); return i; }\n";
    let program = common::load_text("invariants", text);
    let settings = Settings { overflow: Overflow::Wraps, ..Settings::default() };
    let analysis = analyse(&program, &settings, &Budget::unlimited()).expect("no limit");
    let main = program.main.expect("there is a main");
    let mark = program.procedure_named("mark").expect("there is a mark");
    let body = program.procedures[main].body.as_ref().expect("main has a body");
    let at = body
        .edges
        .iter()
        .find(|edge| matches!(&edge.action, program::Action::Call { callee: program::Callee::Direct(callee), .. } if *callee == mark))
        .expect("mark is called")
        .from;
    let invariants = Invariants::of(&analysis);
    let shown = invariants.c_at(main, at).expect("it is reached");
    assert!(shown.iter().any(|text| text == "0 <= i && i <= 2147483647"), "{shown:?}");
    assert!(shown.iter().any(|text| text.contains("+") && text.contains("<= 0")), "{shown:?}");
    let mut pool = logic::TermPool::new();
    let term = invariants.term_at(main, at, &mut pool, &mut |id, pool| {
        let variable = &program.variables[id];
        let shape = program.types.integer_shape(variable.ty.id)?;
        Some(pool.bitvec_symbol(&variable.name, shape.width))
    });
    let text = pool.display(term);
    assert!(text.contains('i') && text.contains('n'), "{text}");
    assert_ne!(term, pool.tt());
}
