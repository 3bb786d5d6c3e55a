//! Does every run satisfy a temporal formula? Programs with an answer each, and random programs with random formulas, whose
//! states are all explored.

use base::{Budget, Silent};
use cegar::{AboutFormula, Choice, Settings, verify_formula};
use program::Program;
use question::{Asks, FiniteRuns, Question, Temporal, Verdict};
use std::time::Duration;
use testkit::temporal;

fn load(text: &str) -> Program {
    testkit::c::load_text(text, csource::types::DataModel::Lp64)
}

fn asked_of(
    program: &Program,
    formula: &str,
    finite_runs: FiniteRuns,
    engine: &str,
    seconds: u64,
) -> AboutFormula {
    let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
    let choice = Choice::named(engine).expect("it is in the table");
    let temporal = Temporal { formula: formula.to_owned(), finite_runs };
    let question = Question { name: temporal.words(), about: program, asks: Asks::Runs(temporal) };
    let found = verify_formula(&question, choice, &Settings::default(), &budget, &Silent);
    found.unwrap_or_else(|trouble| panic!("{formula}: {}", trouble.message))
}

fn judged(about: &AboutFormula, proof: &verdict::ProgramProof) -> question::Judgement {
    let claim = audit::Claim { property: &about.property, missing: cegar::Missing::Stop };
    let program = about.program.as_ref().expect("a proof is about a product");
    audit::audit(program, claim, proof, &audit::Settings::default(), &Budget::unlimited()).judgement
}

/// The verdict; a proof is audited, and every audit accepts it.
fn word(text: &str, formula: &str, finite_runs: FiniteRuns, engine: &str, seconds: u64) -> &'static str {
    let program = load(text);
    let about = asked_of(&program, formula, finite_runs, engine, seconds);
    if let Some(proof) = about.answer.verdict.program_proof() {
        assert_eq!(judged(&about, proof), question::Judgement::Accepted, "{formula}\n{proof:?}\n{text}");
    }
    about.answer.verdict.word()
}

/// Random programs and formulas, against all their states.
fn compare(seeds: std::ops::Range<u64>) -> (u32, u32, u32) {
    let (mut holds, mut violated, mut open) = (0, 0, 0);
    for seed in seeds {
        let one = temporal::program(seed);
        let Some(expected) = one.every_run_satisfies else { continue };
        let finite_runs = if one.ends_count { FiniteRuns::Count } else { FiniteRuns::Repeat };
        let told = format!("seed {seed}: {} ({finite_runs:?})\n{}", one.formula, one.text);
        let program = load(&one.text);
        let about = asked_of(&program, &one.formula, finite_runs, "auto", 5);
        match &about.answer.verdict {
            Verdict::Holds(_) => {
                assert!(expected, "proved, but a run violates it, {told}");
                let proof = about.answer.verdict.program_proof().expect("a proof about a program");
                assert_eq!(judged(&about, proof), question::Judgement::Accepted, "{told}");
                holds += 1;
            }
            Verdict::Violated(_) => {
                let run = about.answer.verdict.run().map(|run| (&run.what, &run.inputs));
                assert!(!expected, "{run:?}, but every run satisfies it, {told}");
                violated += 1;
            }
            Verdict::Undecided(_) => open += 1,
        }
        // Nor is there a proof beside the run that was found first.
        if !expected && seed % 3 == 0 {
            let proof = asked_of(&program, &one.formula, finite_runs, "ranking", 1).answer.verdict;
            assert!(!proof.holds(), "proved, but a run violates it, {told}");
        }
    }
    (holds, violated, open)
}

#[test]
fn every_run_of_small_programs_satisfies_what_is_proved() {
    let count = if std::env::var_os("CONCORD_DEEP").is_some() { 3000 } else { 60 };
    let (holds, violated, open) = compare(0..count);
    eprintln!("{holds} hold, {violated} are violated, {open} are open");
    assert!(holds > 12 && violated > 12, "{holds} hold, {violated} are violated, {open} are open");
}

const DECLARED: &str = "extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assume(int);\n\
    extern void __VERIFIER_ltl_step(void);\nextern void abort(void);\nextern void exit(int);\n";

fn is(text: &str, formula: &str, finite_runs: FiniteRuns, expected: &str) {
    let text = format!("{DECLARED}{}", text.replace("in()", "__VERIFIER_nondet_int()"));
    assert_eq!(word(&text, formula, finite_runs, "auto", 20), expected, "{formula}\n{text}");
}

const TWO: &str = "int x; int main(void) { x = 1; x = 0; return 0; }";
const THREE: &str = "int a, b; int main(void) { a = 1; b = 5; a = 2; return 0; }";
const SILENT: &str = "int x; int main(void) { x = 1; for (;;); }";
const LOCKS: &str = "void lock(void) {} void unlock(void) {}\n\
    int main(void) { while (in()) { lock(); if (in() == 7) break; unlock(); } return 0; }";
const STEPS: &str = "int a = 1; int main(void) { while (1) { a = in(); __VERIFIER_assume(a >= 0);\n\
    __VERIFIER_ltl_step(); while (a > 0) a--; a = -1; } }";

#[test]
fn what_positions_are_decides() {
    use FiniteRuns::{Count, Ignore, Repeat};
    for (text, formula, finite_runs, expected) in [
        (TWO, "F \"x == 1\"", Count, "holds"),
        (TWO, "G F \"x == 1\"", Count, "violated"),
        (TWO, "G F \"x == 1\"", Ignore, "holds"),
        (TWO, "X X \"x == 0\"", Count, "holds"),
        (TWO, "X X X \"x == 0\"", Count, "violated"),
        (TWO, "X X X \"x == 0\"", Repeat, "holds"),
        (THREE, "G(\"a == 1\" -> X \"a == 2\")", Count, "holds"),
        (THREE, "\"b == b\" && G(\"a == 1\" -> X \"a == 2\")", Count, "violated"),
        (SILENT, "F G \"x == 1\"", Count, "holds"),
        (SILENT, "G F \"x == 0\"", Count, "violated"),
        (SILENT, "X X X \"x == 1\"", Count, "holds"),
        (LOCKS, "!call(unlock) W call(lock)", Count, "holds"),
        (LOCKS, "G(call(lock) -> F call(unlock))", Count, "violated"),
        (LOCKS, "G(call(lock) -> F return(lock))", Count, "holds"),
        (STEPS, "G \"a >= 0\"", Repeat, "holds"),
        (STEPS, "F \"a == 77\"", Repeat, "violated"),
    ] {
        is(text, formula, finite_runs, expected);
    }
}

/// Runs that do not count, and those that do though they end early.
#[test]
fn ends_and_assumptions_decide() {
    for (text, formula, expected) in [
        ("int x; int main(void) { x = 1; __VERIFIER_assume(0); return 0; }", "F \"x == 2\"", "holds"),
        ("int x; int main(void) { x = -1; __VERIFIER_assume(in()); for (;;); }", "G \"x >= 0\"", "violated"),
        ("int x; int main(void) { x = 1; abort(); }", "G F \"x == 0\"", "violated"),
        (
            "int x; void g(void) { exit(0); } int main(void) { x = 1; g(); x = 2; }",
            "F \"x == 2\"",
            "violated",
        ),
        ("int x; int main(void) { int y = 1 / in(); x = 1; return y; }", "F \"x == 1\"", "holds"),
        ("int x, t; int main(void) { while (1) { x = in(); t++; } }", "F \"x == 77\"", "violated"),
        ("unsigned u; int main(void) { u = 5; return 0; }", "G \"u > -1\"", "violated"),
        ("signed char c; int main(void) { c = (signed char)200; return 0; }", "F \"c == -56\"", "holds"),
    ] {
        is(text, formula, FiniteRuns::Count, expected);
    }
}

/// Beside a run that is found first no proof is looked at: here nobody looks for runs.
#[test]
fn proofs_alone_do_not_hold_of_what_is_violated() {
    for (text, formula) in [
        (
            "int x; int main(void) { int n = in(); while (n > 0) { n--; while (in()); } x = 1; return 0; }",
            "F \"x == 1\"",
        ),
        (
            "int x; int main(void) { x = 5; while (x > 0) { x--; if (in()) x = 5; } x = -1; return 0; }",
            "F \"x == -1\"",
        ),
        (
            "int r, g; int main(void) { while (1) { r = in(); g = 0; if (r > 0 && in()) g = 1; } }",
            "G(\"r > 0\" -> F \"g == 1\")",
        ),
        (
            "int x = 1; void f(int n) { if (n == 7) f(n); x = 0; } int main(void) { f(in()); return 0; }",
            "F \"x == 0\"",
        ),
        ("int x = 1; void f(void) { f(); } int main(void) { f(); return 0; }", "F \"x == 0\""),
        ("int x; int main(void) { while (1) x = in() & 1; }", "F G \"x == 1\""),
        (TWO, "G F \"x == 1\""),
        (SILENT, "X X !X true && \"x == x\""),
        (LOCKS, "G F call(lock)"),
    ] {
        let text = format!("{DECLARED}{}", text.replace("in()", "__VERIFIER_nondet_int()"));
        for engine in ["ranking", "pdr", "k-induction"] {
            let verdict = word(&text, formula, FiniteRuns::Count, engine, 3);
            assert_ne!(verdict, "holds", "{engine}: {formula}\n{text}");
        }
    }
}

/// What no certificate may claim.
#[test]
fn forged_proofs_of_formulas_are_refused() {
    let text = "extern int __VERIFIER_nondet_int(void);\nint x, y;\nint main(void) {\n  while (1) {\n\
        x = __VERIFIER_nondet_int(); y = 1;\n    while (x > 0) { x--; }\n    y = 0;\n  }\n}\n";
    let program = load(text);
    let about = asked_of(&program, "G(\"y == 1\" -> F \"y == 0\")", FiniteRuns::Count, "ranking", 20);
    let proof = about.answer.verdict.program_proof().expect("it holds").clone();
    assert_eq!(judged(&about, &proof), question::Judgement::Accepted);
    assert!(!proof.measures.is_empty());
    for at in 0..proof.measures.len() {
        let mut forged = proof.clone();
        forged.measures.remove(at);
        let is_needed = judged(&about, &forged) != question::Judgement::Accepted;
        let mut turned = proof.clone();
        turned.measures[at].factors.iter_mut().for_each(|factor| *factor = -*factor);
        assert!(!is_needed || judged(&about, &turned) != question::Judgement::Accepted, "measure {at}");
    }
    let mut forged = proof.clone();
    forged.measures.clear();
    assert_ne!(judged(&about, &forged), question::Judgement::Accepted, "without measures");
    // The same proof says nothing of another formula, or of every run's end.
    let other = asked_of(&program, "G(\"y == 1\" -> F \"y == 5\")", FiniteRuns::Count, "ranking", 2);
    assert!(!other.answer.verdict.holds());
}
