//! Formulas on small programs, and the rows of the shared examples.

use crate::common;

use base::Budget;
use intervals::Context;
use intervals::TestCases;
use intervals::ctl::Granularity;
use intervals::ctl::Names;
use intervals::ctl::{CtlSettings, Decision, ThreeValued, check, objection};
use intervals::ctl::{Replayed, replay};
use intervals::{Domain, MissingEffect, Reads};
use intervals::{Settings, analyse};
use program::Program;
use std::path::{Path, PathBuf};

fn settings_with(tests: Option<&str>) -> Settings {
    let tests = tests.map_or_else(TestCases::default, |text| {
        let (file, diagnostics) = spec::testcase::parse(text, 0);
        assert!(!diagnostics.has_errors(), "{text}");
        TestCases::from(&file)
    });
    Settings { domain: Domain::Intervals, reads: Reads::Deliver, tests, ..Settings::default() }
}

fn decide(program: &Program, formula: &str, tests: Option<&str>, granularity: Granularity) -> Vec<Decision> {
    let settings = settings_with(tests);
    let budget = Budget::unlimited();
    let analysis = analyse(program, &settings, &budget).expect("no limit");
    let context = Context::new(program, &settings, Default::default());
    let (properties, diagnostics) = spec::ctl::parse(formula, 0);
    assert!(!diagnostics.has_errors(), "{formula}");
    let names = Names::of(program);
    let ctl = CtlSettings { missing: MissingEffect::Pure, granularity, ..CtlSettings::default() };
    properties
        .iter()
        .map(|property| {
            assert_eq!(objection(&property.formula, &names, program), None);
            check(&property.formula, Some(&analysis), &context, ctl, &budget, &base::Silent)
                .expect("no limit")
        })
        .collect()
}

fn answers(name: &str, text: &str, formula: &str) -> Vec<ThreeValued> {
    let program = common::load_text(name, text);
    let decisions = decide(&program, formula, None, Granularity::Globals);
    for decision in &decisions {
        if let Some(witness) = &decision.witness {
            let replayed = replay(&program, witness, &concrete::Settings::default());
            assert_eq!(replayed, Replayed::Confirmed, "{text}");
        }
    }
    decisions.iter().map(|decision| decision.answer).collect()
}

#[test]
fn counters_and_inputs() {
    let text = "extern int __VERIFIER_nondet_int(void);\nint x; int y;\n\
        int main(void) { for (;;) { x = (x + 1) % 3; if (__VERIFIER_nondet_int() > 5) y = 1; else y = 0; } }\n";
    use ThreeValued::*;
    assert_eq!(
        answers(
            "counter",
            text,
            "AG(x <= 2); EF(x = 2); AG(x < 2); AF(x = 2); EG(y = 0); AG(y = 0); AX(x = 1); EX(y = 1); AG(EF(y = 1)); A[x < 2 U x = 2]; EF(x = 7)"
        ),
        [Yes, Yes, No, Yes, Yes, No, Yes, No, Yes, Yes, No]
    );
}

/// What a condition says of a value is what the same expression says in C.
#[test]
fn conditions_compare_as_c_does() {
    let conditions = [
        "v == -1",
        "v - 1 < 0",
        "v + 1 == 0",
        "0 - v > 0",
        "v * 2 < v",
        "v < -1",
        "v >= -1",
        "v % 7 == 3",
        "v / 2 > 0",
        "v == 4294967295",
        "v - 2 < 1",
        "-v == 1",
        "~v > 0",
        "v > 4294967295 - v",
        "v != 255",
    ];
    let types: [(&str, &[&str]); 7] = [
        ("unsigned", &["1", "3", "4294967295u", "2147483648u"]),
        ("unsigned char", &["1", "3", "255"]),
        ("unsigned short", &["1", "65535"]),
        ("int", &["1", "-1", "3", "-7"]),
        ("signed char", &["1", "-1", "127"]),
        ("long", &["1", "-1", "4294967295"]),
        ("unsigned long", &["1", "3", "18446744073709551615u"]),
    ];
    for (ty, values) in types {
        for value in values {
            let name = format!("compare {ty} {value}");
            let bits: Vec<String> = conditions
                .iter()
                .enumerate()
                .map(|(at, condition)| format!("({condition} ? {} : 0)", 1 << at))
                .collect();
            let text = format!("{ty} v; int main(void) {{ v = {value}; return {}; }}\n", bits.join(" | "));
            let program = common::load_text(&name, &text);
            let run = concrete::run(
                &program,
                &concrete::Settings::default(),
                &mut concrete::Captured::default(),
                &mut concrete::ListedInputs::parse("").expect("nothing"),
            );
            let concrete::RunOutcome::Exited(status) = run.outcome else {
                panic!("{text}: {:?}", run.outcome)
            };
            let formulas: Vec<String> =
                conditions.iter().map(|condition| format!("AX({condition})")).collect();
            let found = answers(
                &name,
                &format!("{ty} v; int main(void) {{ v = {value}; return 0; }}\n"),
                &formulas.join("; "),
            );
            for (at, (condition, answer)) in conditions.iter().zip(found).enumerate() {
                let expected = if status >> at & 1 == 1 { ThreeValued::Yes } else { ThreeValued::No };
                assert_eq!(answer, expected, "{name}: {condition}");
            }
        }
    }
}

#[test]
fn a_missing_answer_is_maybe() {
    // Every factor is an input, and nothing splits a product: neither answer may be given.
    let text = "extern int __VERIFIER_nondet_int(void);\nint x;\n\
        int main(void) { int a = __VERIFIER_nondet_int(); int b = __VERIFIER_nondet_int();\n\
        if (a > 2 && b > 2 && a < 1000 && b < 1000 && a * b == 9991) x = 1; return 0; }\n";
    assert_eq!(answers("product", text, "EF(x = 1)"), [ThreeValued::Maybe]);
}

#[test]
fn runs_that_end_stay_where_they_are() {
    let text = "int x;\nint main(void) { x = 1; x = 2; return 0; }\n";
    use ThreeValued::*;
    assert_eq!(
        answers("ends", text, "AF(AG(x = 2)); EG(x < 2); AX(AX(x = 2)); AX(AX(AX(x = 2)))"),
        [Yes, No, Yes, Yes]
    );
}

#[test]
fn conditions_name_members_elements_and_what_pointers_point_to() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void *malloc(unsigned long);\n\
        struct device { int mode; int level[3]; struct { int deep; }; } d;\nstruct device *p; int *q;\n\
        int main(void) { q = &d.level[1]; p = malloc(sizeof *p); p->mode = 3; d.mode = 1;\n\
        if (__VERIFIER_nondet_int() > 5) d.level[1] = 7; d.deep = d.level[1]; p->mode = 4; return 0; }\n";
    use ThreeValued::*;
    assert_eq!(
        answers(
            "members",
            text,
            "AG(d.mode <= 1); EF(d.level[1] = 7); AF(d.level[1] = 7); EF(*q = 7); AG(d.deep = 0); AF(d.mode = 1); EF(p->mode = 3); AF(p->mode = 4); AG(d.level[2] = 0)"
        ),
        [Yes, Yes, No, Yes, No, Yes, Yes, Yes, Yes]
    );
}

#[test]
fn places_that_may_be_gone_decide_nothing() {
    let text = "extern void *malloc(unsigned long);\nextern void free(void *);\nint *p; int x;\n\
        int main(void) { p = malloc(sizeof *p); *p = 3; x = 1; free(p); x = 2; return 0; }\n";
    assert_eq!(answers("freed", text, "AF(*p = 3)"), [ThreeValued::Maybe]);
}

#[test]
fn every_library_call_that_writes_a_global_is_one_step() {
    use ThreeValued::*;
    let steps = |name: &str, calls: &str| {
        let text = format!(
            "#include <stdio.h>\n#include <string.h>\nint g, h; int t[3]; char s[8]; int *p;\nint main(void) {{ int l[3] = {{ 1, 2, 3 }}; {calls} h = 1; return 0; }}\n"
        );
        // How many steps come before the one that writes h: EX h, EX EX h, ...
        let formulas = "EX(h = 1); EX(EX(h = 1)); EX(EX(EX(h = 1)))";
        let program = common::load_text(name, &text);
        let decisions = decide(&program, formulas, None, Granularity::Globals);
        decisions.iter().map(|decision| decision.answer).collect::<Vec<_>>()
    };
    assert_eq!(steps("scan2", "scanf(\"%d\", &g); scanf(\"%d\", &g);"), [No, No, Yes]);
    assert_eq!(steps("scan1", "scanf(\"%d%d\", &g, t);"), [No, Yes, Yes]);
    assert_eq!(steps("scan0", "int x; scanf(\"%d\", &x);"), [Yes, Yes, Yes]);
    assert_eq!(steps("copy", "memcpy(t, l, sizeof t); memset(t, 0, 4);"), [No, No, Yes]);
    assert_eq!(steps("copy-same", "memcpy(t, t + 1, 4); memcpy(t, t + 1, 4);"), [No, No, Yes]);
    assert_eq!(steps("nothing", "memcpy(t, l, 0);"), [Yes, Yes, Yes]);
    assert_eq!(steps("local", "memcpy(l, t, 4);"), [Yes, Yes, Yes]);
    assert_eq!(steps("string", "strcpy(s, \"abc\");"), [No, Yes, Yes]);
    assert_eq!(steps("print", "sprintf(s, \"ab\");"), [No, Yes, Yes]);
    assert_eq!(steps("through", "p = t; memset(p, 1, 4);"), [No, No, Yes]);
    // A line may be read or not: then nothing is decided by how many steps there are.
    assert_eq!(steps("line", "fgets(s, 8, stdin);"), [Maybe, Maybe, Maybe]);
}

#[test]
fn what_is_not_followed_decides_nothing() {
    use ThreeValued::*;
    let jump = "#include <setjmp.h>\njmp_buf j; int x;\nint main(void) { if (setjmp(j)) { x = 2; return 0; } x = 1; longjmp(j, 1); }\n";
    assert_eq!(answers("jump", jump, "AG(x < 2)"), [Maybe]);
    let last = "int x;\n__attribute__((destructor)) void last(void) { x = 2; }\nint main(void) { x = 1; return 0; }\n";
    assert_eq!(answers("destructor", last, "AF(AG(x = 1))"), [Maybe]);
    let either = "extern int __VERIFIER_nondet_int(void);\nint x, y;\n\
        int main(void) { int l = 0; int *p = __VERIFIER_nondet_int() ? &l : &y; *p = 1; x = 1; return l; }\n";
    // Only one of the two ways writes a global before `x`.
    assert_eq!(answers("either", either, "AX(AX(x = 1)); AX(x = 1)"), [Yes, No]);
}

#[test]
fn wrong_places_are_told() {
    let program = common::load_text(
        "wrong-places",
        "struct s { int a; } v; int t[2]; int main(void) { v.a = t[0]; return 0; }\n",
    );
    for (formula, told) in [
        ("AG(v.b = 0)", "no member `b`"),
        ("AG(t[2] = 0)", "not an element"),
        ("AG(t = 0)", "not an integer"),
        ("AG(t[v.a] = 0)", "must be a constant"),
        ("AG(*v.a = 0)", "not a pointer"),
    ] {
        let (properties, diagnostics) = spec::ctl::parse(formula, 0);
        assert!(!diagnostics.has_errors(), "{formula}");
        let why = objection(&properties[0].formula, &Names::of(&program), &program).expect(formula);
        let why = why.0.to_string();
        assert!(why.contains(told), "{formula}: {why}");
    }
}

#[test]
fn undefined_behaviour_is_not_reasoned_past() {
    let text = "extern int __VERIFIER_nondet_int(void);\nint x;\n\
        int main(void) { int a = __VERIFIER_nondet_int(); x = 10 / a; x = 3; return 0; }\n";
    assert_eq!(answers("undefined", text, "AG(x <= 10)"), [ThreeValued::Maybe]);
}

#[test]
fn the_tank_never_runs_over() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tank");
    let text = std::fs::read_to_string(folder.join("tank.c")).expect("the example is there");
    let formulas = std::fs::read_to_string(folder.join("tank.ctl")).expect("its formulas are there");
    use ThreeValued::*;
    assert_eq!(answers("tank", &text, &formulas), [Yes, Yes, No, Yes]);
}

fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/safety_injection");
    if !folder.exists() {
        use std::io::Write;
        let told = "../shared/data/safety_injection is absent: its rows are left out\n";
        std::io::stderr().write_all(told.as_bytes()).expect("standard error is open");
        return None;
    }
    Some(folder)
}

/// The rows of EXPECTED.csv about formulas: never contradicted, and decided unless the note speaks of
/// mathematical integers.
#[test]
fn the_shared_rows_are_decided() {
    let Some(folder) = shared() else { return };
    let table = std::fs::read_to_string(folder.join("EXPECTED.csv")).expect("the table is there");
    let mut rows = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.splitn(7, ',').collect();
        let [file, formulas, number, environment, _, verdict, rest] = cells[..] else {
            panic!("a row: {line}")
        };
        let (false, Ok(number)) = (formulas.is_empty(), number.parse::<usize>()) else { continue };
        let program = testkit::c::load(&folder.join(file.replace(".c", "_std.c")), program::DataModel::Lp64);
        let text = std::fs::read_to_string(folder.join(formulas)).expect("the formulas are there");
        let one = text.split(';').nth(number - 1).expect("the formula is there");
        let tests = (environment != "none")
            .then(|| std::fs::read_to_string(folder.join(environment)).expect("the tests are there"));
        let decision = decide(&program, one, tests.as_deref(), Granularity::Globals).remove(0);
        let is_about_unbounded_integers = rest.contains("mathematical integers");
        let expected = if verdict == "holds" { ThreeValued::Yes } else { ThreeValued::No };
        if is_about_unbounded_integers && decision.answer == ThreeValued::Maybe {
            assert!(!decision.doubts.is_empty() || decision.is_cut, "{line}: Maybe says why");
        } else {
            assert_eq!(
                decision.answer, expected,
                "{line}\n{:?} {:?} {:?}",
                decision.levels, decision.doubts, decision.is_cut
            );
        }
        if expected == ThreeValued::No && one.trim_start().starts_with("AG") {
            let witness = decision.witness.as_ref().expect("a violated invariant has a run");
            let replayed = replay(&program, witness, &concrete::Settings::default());
            assert!(!matches!(replayed, Replayed::Contradicted(_)), "{line}: {replayed:?}");
        }
        rows += 1;
    }
    assert!(rows >= 15, "only {rows} rows were read");
}
