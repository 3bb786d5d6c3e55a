//! Programs that carry their own expectation in the first line, and random programs whose answer the interpreter knows.

use base::{Budget, Silent};
use cegar::{Choice, Property, Settings, verify};
use concrete::{Captured, Interpreter, OnUndefined, RunOutcome, SeededInputs};
use csource::types::DataModel;
use program::Program;
use question::{Question, Verdict};
use std::path::Path;
use std::time::Duration;

fn load(text: &str, model: DataModel) -> Program {
    testkit::c::load_text(text, model)
}

fn answer(program: &Program, seconds: u64) -> Verdict {
    asked(program, &Property::standard(), Choice::AUTO, seconds)
}

fn asked(program: &Program, property: &Property, choice: Choice, seconds: u64) -> Verdict {
    let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
    let question = Question::never(program, property.clone());
    verify(&question, choice, &Settings::default(), &budget, &Silent).verdict
}

fn word(finding: &Verdict) -> &'static str {
    match finding {
        Verdict::Holds(_) => "HOLDS",
        Verdict::Violated(_) => "VIOLATED",
        Verdict::Undecided(_) => "UNDECIDED",
    }
}

#[test]
fn programs_get_the_verdict_they_ask_for() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .expect("the programs are there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    files.sort();
    assert!(files.len() > 10);
    let mut wrong = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("readable");
        let expected = text.lines().next().and_then(|line| line.strip_prefix("// ")).expect("an expectation");
        let seconds = if expected.starts_with("UNDECIDED") { 3 } else { 30 };
        let finding = answer(&load(&text, DataModel::Lp64), seconds);
        if !expected.starts_with(word(&finding)) {
            wrong.push(format!("{}: {finding:?}, not {expected}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `main` of a random program, asked whether it can return one value.
fn asking(text: &str, relation: &str, value: i32) -> String {
    let renamed = text.replace("int main(void) {", "static int compute(void) {");
    let bits = value as u32;
    format!(
        "{renamed}extern void reach_error(void);\nint main(void) {{ if ((unsigned)compute() {relation} {bits}u) reach_error(); return 0; }}\n"
    )
}

fn result_of(program: &Program, seed: u64) -> i32 {
    let settings =
        concrete::Settings { on_undefined: OnUndefined::Continue, ..concrete::Settings::default() };
    let run =
        Interpreter::new(program).run(&settings, &mut Captured::default(), &mut SeededInputs::new(seed));
    match run.outcome {
        RunOutcome::Exited(status) => status,
        other => panic!("{other:?}"),
    }
}

#[test]
fn programs_without_inputs_return_what_they_return() {
    for seed in 5000..5025 {
        let text = testkit::values::program(seed, 10, false);
        let value = result_of(&load(&text, DataModel::Lp64), seed);
        let holds = answer(&load(&asking(&text, "!=", value), DataModel::Lp64), 60);
        assert!(matches!(holds, Verdict::Holds(_)), "seed {seed}: {holds:?}\n{text}");
        let fails = answer(&load(&asking(&text, "==", value), DataModel::Lp64), 60);
        assert!(matches!(fails, Verdict::Violated(_)), "seed {seed}: {fails:?}\n{text}");
    }
}

#[test]
fn values_that_inputs_can_reach_are_reached() {
    let mut violated = 0;
    for seed in 6000..6010 {
        let text = testkit::values::program(seed, 5, true);
        let value = result_of(&load(&text, DataModel::Lp64), seed);
        match answer(&load(&asking(&text, "==", value), DataModel::Lp64), 8) {
            Verdict::Holds(proof) => panic!("seed {seed}: {proof:?}, but {value} can be returned\n{text}"),
            Verdict::Violated(_) => violated += 1,
            Verdict::Undecided(_) => {}
        }
    }
    assert!(violated > 2, "only {violated} were found");
}

/// What no engine follows must not be said to hold.
#[test]
fn leaks_and_unwritten_values_are_not_proved_away() {
    let leaking =
        "extern void *malloc(unsigned long); int main(void) { int *p = malloc(4); *p = 1; return *p - 1; }";
    let unwritten = "extern int __VERIFIER_nondet_int(void);\n\
        int main(void) { int x, y = __VERIFIER_nondet_int(); if (y == 77) x = 1; return x > 3; }";
    for (text, check) in [(leaking, cegar::Check::Leak), (unwritten, cegar::Check::Uninitialised)] {
        let program = load(text, DataModel::Lp64);
        for (choice, _) in Choice::all() {
            let property = Property { checks: cegar::Checks::none().with(check), ..Property::default() };
            let finding = asked(&program, &property, choice, 10);
            assert!(!matches!(finding, Verdict::Holds(_)), "{choice:?}: {finding:?}\n{text}");
        }
    }
}

/// Where nothing is allocated nothing is lost or left, however long a run goes on; one `malloc` anywhere is enough to ask.
#[test]
fn programs_that_allocate_nothing_lose_nothing() {
    let text = |allocated: &str| {
        format!(
            "extern int __VERIFIER_nondet_int(void); extern void *malloc(unsigned long);\n\
            static void *kept; static void take(void) {{ {allocated} }}\n\
            int main(void) {{ int a = __VERIFIER_nondet_int(), b = 0; while (1) {{ if (a) b = !b; take(); }} }}"
        )
    };
    for check in [cegar::Check::Lost, cegar::Check::Leak, cegar::Check::Cleanup] {
        let property = Property { checks: cegar::Checks::none().with(check), ..Property::default() };
        let finding = asked(&load(&text(""), DataModel::Lp64), &property, Choice::AUTO, 30);
        assert!(matches!(finding, Verdict::Holds(_)), "{check:?}: {finding:?}");
    }
    let property = Property { checks: cegar::Checks::none().with(cegar::Check::Lost), ..Property::default() };
    let finding = asked(&load(&text("kept = malloc(4);"), DataModel::Lp64), &property, Choice::AUTO, 5);
    assert!(!matches!(finding, Verdict::Holds(_)), "{finding:?}");
}

/// Blocks that one step allocates in different rounds are different blocks, though each step gives them the same number.
#[test]
fn numbers_of_blocks_are_names() {
    let program = load(
        "extern int __VERIFIER_nondet_int(void); extern void *malloc(unsigned long); void reach_error(void);\n\
        int main(void) { int *f = malloc(4); int *p = f, *q = f; unsigned k = 0;\n\
        while (__VERIFIER_nondet_int()) { q = p; p = malloc(4); if (k < 1000000) k++; }\n\
        if (k >= 1000000 && p != q && q != f) reach_error(); return 0; }",
        DataModel::Lp64,
    );
    for name in ["pdr", "k-induction", "elements", "objects"] {
        let choice = Choice::named(name).expect("it is in the table");
        let finding = asked(&program, &Property::never_called("reach_error"), choice, 5);
        assert!(!matches!(finding, Verdict::Holds(_)), "{name}: {finding:?}");
    }
}

/// Variables outside memory are followed like those in memory: some ways write them, some do not.
#[test]
fn reads_of_variables_that_only_some_ways_write() {
    let programs = [
        (true, "int main(void) { int x; if (in()) x = 1; return x; }"),
        (true, "int main(void) { int x; if (in() != 5) x = 1; int y = x; return y; }"),
        (
            true,
            "static int f(int a) { int r; switch (a) { case 1: r = 1; break; case 2: r = 2; } return r; }\nint main(void) { int a = in(); return a < 1 || a > 3 ? 0 : f(a); }",
        ),
        (
            true,
            "int main(void) { int s = 0, c = in(); for (int k = 0; k < 3; k++) { int y; if (c != 9 || k < 2) y = k; s += y; } return s; }",
        ),
        (true, "int main(void) { unsigned char x; if (in() > 7) x = 3; return x == 3; }"),
        (false, "int main(void) { int x, c = in(); if (c > 3) x = 1; return c > 5 ? x : 0; }"),
        (
            false,
            "static int f(int a) { int r; switch (a) { case 1: r = 1; break; case 2: r = 2; } return a == 2 ? r : 0; }\nint main(void) { return f(in()); }",
        ),
        (
            false,
            "int main(void) { int x, s = 0, c = in(); for (int k = 0; k < 3; k++) { int y; if (c > k) { x = 1; y = k; } if (c > k) s += x + y; } return s; }",
        ),
    ];
    for (fails, text) in programs {
        let text = format!("extern int __VERIFIER_nondet_int(void);\n{text}")
            .replace("in()", "__VERIFIER_nondet_int()");
        let program = load(&text, DataModel::Lp64);
        let checks = cegar::Checks::none().with(cegar::Check::Uninitialised);
        let property = Property { checks, ..Property::default() };
        match asked(&program, &property, Choice::AUTO, 30) {
            Verdict::Violated(_) => assert!(fails, "{text}"),
            Verdict::Holds(_) => assert!(!fails, "{text}"),
            Verdict::Undecided(undecided) => panic!("{undecided:?}\n{text}"),
        }
    }
}

/// `const` of an array stands on its elements; the array is read-only all the same.
#[test]
fn constant_arrays_are_not_written() {
    let programs = [
        "const int fixed[3] = {4, 5, 6};\nint main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 2) return 0; int *p = (int *)fixed; if (n == 2) p[n] = 9; return 0; }",
        "static const long fixed[2][2] = {{1}};\nint main(void) { int n = __VERIFIER_nondet_int(); long *p = (long *)&fixed[1][0]; if (n == 77) *p = 9; return 0; }",
        "struct s { int a; };\nconst struct s fixed[2] = {{1}, {2}};\nint main(void) { int n = __VERIFIER_nondet_int(); struct s *p = (struct s *)fixed; if (n == 77) p->a = 9; return 0; }",
    ];
    for text in programs {
        let program = load(&format!("extern int __VERIFIER_nondet_int(void);\n{text}"), DataModel::Lp64);
        let property = Property { checks: cegar::Checks::all(), ..Property::default() };
        for (choice, _) in Choice::all() {
            let finding = asked(&program, &property, choice, 10);
            assert!(!matches!(finding, Verdict::Holds(_)), "{choice:?}: {finding:?}\n{text}");
            if choice.name() == "bmc" {
                assert!(matches!(finding, Verdict::Violated(_)), "{finding:?}\n{text}");
            }
        }
    }
}
