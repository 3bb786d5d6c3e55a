//! Does every run end? Programs with an answer each, and random programs whose states are all explored.

use base::{Budget, Silent};
use cegar::{Choice, Property, Settings, verify};
use question::{Answer, Question, Verdict};
use std::time::Duration;
use testkit::endings;

fn asked(text: &str, engine: &str, seconds: u64) -> Answer {
    let program = testkit::c::load_text(text, csource::types::DataModel::Lp64);
    let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
    let choice = Choice::named(engine).expect("it is in the table");
    let question = Question::never(&program, Property::every_run_ends());
    let answer = verify(&question, choice, &Settings::default(), &budget, &Silent);
    if let Verdict::Holds(_) = answer.verdict {
        let property = Property::every_run_ends();
        let claim = audit::Claim { property: &property, missing: cegar::Missing::Stop };
        let proof = answer.verdict.program_proof().expect("a proof about a program");
        let settings = audit::Settings::default();
        let audited = audit::audit(&program, claim, proof, &settings, &Budget::unlimited());
        assert_eq!(audited.judgement, question::Judgement::Accepted, "{proof:?}\n{text}");
    }
    answer
}

/// Random programs, against all their states.
fn compare(seeds: std::ops::Range<u64>) -> (u32, u32, u32) {
    let (mut holds, mut violated, mut open) = (0, 0, 0);
    for seed in seeds {
        let ending = endings::program(seed);
        let Some(expected) = ending.every_run_ends else { continue };
        let answer = asked(&ending.text, "auto", 10);
        match &answer.verdict {
            Verdict::Holds(proof) => {
                assert!(expected, "seed {seed}: {proof:?}, but a run goes on for ever\n{}", ending.text);
                holds += 1;
            }
            Verdict::Violated(_) => {
                let run = answer.verdict.run().map(|run| &run.inputs);
                assert!(!expected, "seed {seed}: {run:?}, but every run ends\n{}", ending.text);
                violated += 1;
            }
            Verdict::Undecided(_) => open += 1,
        }
        // Nor is there a proof beside the run that was found first.
        if !expected && seed % 2 == 0 {
            let proof = asked(&ending.text, "ranking", 2).verdict;
            assert!(!proof.holds(), "seed {seed}: a run goes on for ever\n{}", ending.text);
        }
    }
    (holds, violated, open)
}

#[test]
fn every_run_of_small_programs() {
    let count = if std::env::var_os("CONCORD_DEEP").is_some() { 3000 } else { 30 };
    let (holds, violated, open) = compare(0..count);
    eprintln!("{holds} hold, {violated} are violated, {open} are open");
    assert!(holds > 8 && violated > 3, "{holds} hold, {violated} are violated, {open} are open");
}

const INPUTS: &str = "extern int __VERIFIER_nondet_int(void);\n\
    extern unsigned __VERIFIER_nondet_uint(void);\nextern void __VERIFIER_assume(int);\nextern void abort(void);\n";

fn word(text: &str) -> &'static str {
    let text = format!("{INPUTS}{text}");
    asked(&text.replace("in()", "__VERIFIER_nondet_int()"), "auto", 10).verdict.word()
}

#[test]
fn loops_that_end() {
    for text in [
        "int main(void) { int n = in(); for (int i = 0; i < n; i++); return 0; }",
        // Two phases.
        "int main(void) { int x = in(), y = in(); while (x >= 0) { x += y; y--; } return 0; }",
        // One counter starts again where the other falls.
        "int main(void) { int N = in(), i = N, j = N; while (i > 0) if (j > 0) j--; else { j = N; i--; } return 0; }",
        "int main(void) { int a = in(), b = in(); __VERIFIER_assume(a > 0 && b > 0);\n\
         while (a != b) if (a > b) a -= b; else b -= a; return 0; }",
        "int main(void) { unsigned x = __VERIFIER_nondet_uint(); while (x != 0) x >>= 1; return 0; }",
        "int main(void) { int x = in(); L: if (x > 0) { x--; goto L; } return 0; }",
        "int f(int n) { return n <= 0 ? 1 : n * f(n - 1); } int main(void) { return f(in()) == 3; }",
        "int main(void) { while (1) abort(); }",
        "int main(void) { for (;;) __VERIFIER_assume(0); }",
        // Nothing leads there.
        "int main(void) { int x = in() & 1; if (x == 2) for (;;); return 0; }",
    ] {
        assert_eq!(word(text), "holds", "{text}");
    }
}

#[test]
fn loops_that_do_not_end() {
    for text in [
        "int main(void) { while (in()); return 0; }",
        "int main(void) { for (;;) __VERIFIER_assume(in()); }",
        "int main(void) { while (1) if (in()) abort(); }",
        "int main(void) { for (signed char c = 0; c < 200; c++); return 0; }",
        "int main(void) { unsigned char i = in(); for (; i >= 0; i--); return 0; }",
        "int main(void) { int a = in(), b = in(); __VERIFIER_assume(a >= 0 && b >= 0);\n\
         while (a != b) if (a > b) a -= b; else b -= a; return 0; }",
        "struct L { struct L *n; }; int main(void) { struct L a, b; a.n = &b; b.n = &a;\n\
         for (struct L *p = &a; p; p = p->n); return 0; }",
    ] {
        assert_eq!(word(text), "violated", "{text}");
    }
}

/// Beside a run that is found first no proof is looked at: here nobody looks for runs. What falls on the way into a loop, and is left out then, may
/// still be taken once.
#[test]
fn proofs_alone_do_not_hold_of_loops_that_do_not_end() {
    for text in [
        "int main(void) { int n = in(); while (n > 0) { n--; while (in()); } return 0; }",
        "int main(void) { int n = in(); while (n > 0) { while (in()); n--; } return 0; }",
        "int main(void) { int n = in(); while (n > 0) { n--; for (int i = 0; i < 9; i++) if (in()) i--; } return 0; }",
        "int main(void) { int n = in(), m = in(); while (n > 0) { n--; while (m > 0) { m--; while (n == 3); } } return 0; }",
        "int main(void) { int n = in(); A: if (n <= 0) return 0; n--; if (in()) goto A; B: if (in()) goto A; goto B; }",
        "int f(int n) { if (n <= 0) return 0; while (in()); return f(n - 1); } int main(void) { return f(in()); }",
        "int f(int n) { if (n <= 0) return 0; return f(n - 1) + f(n == 1); } int main(void) { return f(in()); }",
        "int g; void f(int n) { if (n <= 0) return; g = n; f(n - 1); while (g); } int main(void) { f(in()); return 0; }",
    ] {
        let text = format!("{INPUTS}{text}");
        let answer = asked(&text.replace("in()", "__VERIFIER_nondet_int()"), "ranking", 5);
        assert!(answer.verdict.is_undecided(), "{text}");
    }
}

/// Whether these end depends on what a signed overflow gives, which is nobody's choice: no proof, and no violation.
#[test]
fn loops_that_end_only_by_overflow_are_open() {
    for text in [
        "int main(void) { int x = in(); while (x > 1) x = 2 * x; return 0; }",
        "int main(void) { int n = in(); for (int i = 0; i <= n; i++); return 0; }",
        "int main(void) { int x = 1; while (x > 0) x++; return 0; }",
    ] {
        let text = format!("{INPUTS}{text}");
        let answer = asked(&text.replace("in()", "__VERIFIER_nondet_int()"), "ranking", 10);
        assert!(answer.verdict.is_undecided(), "{text}");
    }
}

/// A loop or a recursion that no run comes to needs no measure, and the auditor sees that too: `asked` audits.
#[test]
fn what_is_never_reached_goes_round_freely() {
    for text in [
        "int f(int n) { return n > 3 ? 0 : f(n); }\nint main(void) { unsigned char y = 6;\n\
         switch (y & 3) { case 1: f(in()); } while (in() > 3 && y-- > 0); return 0; }",
        "int main(void) { int x = 0, y = in(), n = in();\n\
         while (n > 0) { n--; if (x != 0) goto L; }\n\
         if (x <= 4) abort();\nL: if (x <= 4) abort(); y++; goto L; }",
        // The auditor meets the inner loop, since it does not put 3 for y.
        "int main(void) { static int y = 1; y = 3 & 15; int x, t = y & 3;\n\
         switch (t) { case 2: do { y--; } while (y & 1); break; case 0: y++; break; }\n\
         for (x = in() & 3; x <= 10; x += 2) if (in() && !y) { for (x = 3; x <= 10; x += 2) x--; t = 9; }\n\
         return t; }",
    ] {
        assert_eq!(word(text), "holds", "{text}");
    }
}

/// Whoever calls such a function in a program that gives it a body runs that body.
#[test]
fn error_functions_with_a_body_run_it() {
    for (text, expected) in [
        ("void reach_error(void) {} int main(void) { for (;;) reach_error(); }", "violated"),
        ("void reach_error(void) { for (;;); } int main(void) { reach_error(); }", "violated"),
        (
            "void __VERIFIER_error(void) {} int main(void) { for (;;) if (in()) __VERIFIER_error(); }",
            "violated",
        ),
        ("void reach_error(void) { abort(); } int main(void) { for (;;) reach_error(); }", "holds"),
        ("extern void reach_error(void); int main(void) { for (;;) reach_error(); }", "holds"),
        (
            "void reach_error(void) {} int main(void) { int i = 9; while (i > 0) { reach_error(); i--; } }",
            "holds",
        ),
    ] {
        assert_eq!(word(text), expected, "{text}");
    }
}

/// What no certificate may claim: measures that rise, or that are missing.
#[test]
fn forged_measures_are_refused() {
    let text = "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int n = __VERIFIER_nondet_int();\n\
        for (int i = 0; i < n; i++) for (int j = 0; j < n; j++);\n  return 0;\n}\n";
    let program = testkit::c::load_text(text, csource::types::DataModel::Lp64);
    let answer = asked(text, "ranking", 10);
    let proof = answer.verdict.program_proof().expect("it holds").clone();
    let property = Property::every_run_ends();
    let judged = |proof: &verdict::ProgramProof| {
        let claim = audit::Claim { property: &property, missing: cegar::Missing::Stop };
        audit::audit(&program, claim, proof, &audit::Settings::default(), &Budget::unlimited()).judgement
    };
    assert_eq!(judged(&proof), question::Judgement::Accepted);
    for at in 0..proof.measures.len() {
        let mut forged = proof.clone();
        forged.measures.remove(at);
        assert_ne!(judged(&forged), question::Judgement::Accepted, "without measure {at}");
        let mut forged = proof.clone();
        forged.measures[at].factors.iter_mut().for_each(|factor| *factor = -*factor);
        assert_ne!(judged(&forged), question::Judgement::Accepted, "measure {at} turned round");
        let mut forged = proof.clone();
        forged.measures[at].factors.iter_mut().for_each(|factor| *factor = 0);
        assert_ne!(judged(&forged), question::Judgement::Accepted, "measure {at} is nothing");
        let mut forged = proof.clone();
        forged.measures[at].places.pop();
        assert_ne!(judged(&forged), question::Judgement::Accepted, "measure {at} at fewer places");
        let mut forged = proof.clone();
        let width = forged.measures[at].width;
        for value in forged.measures[at].places.iter_mut().flat_map(|place| &mut place.values) {
            let choice = format!("(= |state:value${width}| |state:value${width}|)");
            *value = Some(verdict::Condition::Smt(choice));
        }
        assert_ne!(judged(&forged), question::Judgement::Accepted, "measure {at} chosen freely");
    }
}

/// Programs with a gap, what makes it end, and what makes it go on for ever with the same steps at the same places.
const GAPS: [(&str, &str, &[&str]); 8] = [
    (
        "int main(void) { int n = in(); while (n > 0) { n = @; } return 0; }",
        "n - 1",
        &["n - 0", "n | 1", "n ^ 1"],
    ),
    (
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(); while (n != 0) { n = @; } return 0; }",
        "n - 1",
        &["n - 2", "n * 3", "n << 0"],
    ),
    (
        "int main(void) { unsigned char n = in(), i; for (i = 0; i < n; i = @); return 0; }",
        "i + 1",
        &["i + 2", "i + 0", "i & 1"],
    ),
    (
        "int main(void) { int n = in(), j; while (n > 0) { n = n - 1; j = in(); while (j > 0) j = @; } return 0; }",
        "j - 1",
        &["j - 0", "j | 1"],
    ),
    (
        "int main(void) { int n = in(), j; while (n > 0) { n = @; j = in(); while (j > 0) j = j - 1; } return 0; }",
        "n - 1",
        &["n - 0", "n | 1"],
    ),
    (
        "int main(void) { int i = in(), j = in(); while (i > 0 && j > 0)\n\
         if (in()) { i = @; j = in(); } else j = j - 1; return 0; }",
        "i - 1",
        &["i - 0", "i | 1"],
    ),
    (
        "int f(int n) { if (n <= 0) return 0; return f(@); } int main(void) { return f(in()); }",
        "n - 1",
        &["n - 0", "n | 1"],
    ),
    (
        "int g; void f(void) { if (g <= 0) return; g = @; f(); } int main(void) { g = in(); f(); return 0; }",
        "g - 1",
        &["g - 0", "g | 1"],
    ),
];

/// What somebody may write into a certificate who wants it to be accepted.
fn forgeries(proof: &verdict::ProgramProof) -> Vec<(String, verdict::ProgramProof)> {
    use verdict::{Condition, ProgramProof};
    let mut all = vec![("as it is".to_owned(), proof.clone())];
    let mut add = |what: &str, change: &dyn Fn(&mut ProgramProof)| {
        let mut forged = proof.clone();
        change(&mut forged);
        all.push((what.to_owned(), forged));
    };
    for factor in [-1, 0, 2, 1 << 32, i64::MAX, i64::MIN] {
        add(&format!("factors times {factor}"), &|forged| {
            let factors = forged.measures.iter_mut().flat_map(|measure| &mut measure.factors);
            factors.for_each(|known| *known = known.saturating_mul(factor));
        });
    }
    for width in [0, 1, 3, 8, 32, 33, 200, 256, 300] {
        add(&format!("{width} bits"), &|forged| forged.measures.iter_mut().for_each(|one| one.width = width));
    }
    type Written = fn(u32) -> String;
    let values: [(&str, Written); 4] = [
        ("of no input", |width| format!("(= |state:value${width}| |state:value${width}|)")),
        ("with a choice", |width| format!("(or (= |state:value${width}| (_ bv0 {width})) true)")),
        ("by itself", |width| {
            format!("(= |state:value${width}| (bvsub |state:value${width}| (_ bv1 {width})))")
        }),
        ("always 0", |width| format!("(= |state:value${width}| (_ bv0 {width}))")),
    ];
    for (what, value) in values {
        add(what, &|forged| {
            for measure in &mut forged.measures {
                let width = measure.width;
                let parts = measure.places.iter_mut().flat_map(|place| place.values.iter_mut());
                parts.for_each(|part| *part = Some(Condition::Smt(value(width))));
            }
        });
    }
    let parts: [(&str, &str, &str); 5] = [
        ("as narrow numbers", "sign_extend", "zero_extend"),
        ("without a sign", "|state:n|", "(bvand |state:n| #x00000007)"),
        ("turned round", "|state:n|", "(bvneg |state:n|)"),
        ("before the way", "|state:n|", "|state:n$old|"),
        ("another variable", "|state:n|", "|state:j|"),
    ];
    for (what, from, to) in parts {
        add(what, &|forged| {
            for part in
                forged.measures.iter_mut().flat_map(|one| &mut one.places).flat_map(|place| &mut place.values)
            {
                if let Some(Condition::Smt(text)) = part {
                    *text = text.replace(from, to);
                }
            }
        });
    }
    let impossible = || vec![Condition::C("0".to_owned())];
    add("no measures", &|forged| forged.measures.clear());
    add("no invariants", &|forged| forged.loops.clear());
    add("nothing at heads", &|forged| forged.loops.iter_mut().for_each(|one| one.conditions = impossible()));
    add("no contracts", &|forged| forged.contracts.clear());
    add("calls that are none", &|forged| {
        forged.contracts.iter_mut().for_each(|one| one.requires = impossible())
    });
    add("returns that are none", &|forged| {
        forged.contracts.iter_mut().for_each(|one| one.ensures = impossible())
    });
    add("places in reverse", &|forged| {
        for measure in &mut forged.measures {
            let values: Vec<_> = measure.places.iter().rev().map(|place| place.values.clone()).collect();
            measure.places.iter_mut().zip(values).for_each(|(place, value)| place.values = value);
        }
    });
    add("measures in reverse", &|forged| forged.measures.reverse());
    add("every measure twice", &|forged| {
        let again = forged.measures.clone();
        forged.measures.extend(again);
    });
    for argument in [verdict::ProofArgument::OnlyRun, verdict::ProofArgument::AllRuns] {
        add("another argument", &|forged| forged.argument = argument);
    }
    add("an induction", &|forged| forged.argument = verdict::ProofArgument::Induction { depth: 1 });
    add("an unwinding", &|forged| forged.argument = verdict::ProofArgument::Unwinding { rounds: 9 });
    all
}

/// Certificates of programs that end, forged in many ways, and put beside programs with the same steps that go on for ever.
#[test]
fn no_certificate_shows_that_an_endless_loop_ends() {
    let load = |text: &str| {
        let text = format!("{INPUTS}{text}").replace("in()", "__VERIFIER_nondet_int()");
        testkit::c::load_text(&text, csource::types::DataModel::Lp64)
    };
    let property = Property::every_run_ends();
    let mut tried = 0;
    for (text, right, others) in GAPS {
        let whole =
            format!("{INPUTS}{}", text.replace('@', right)).replace("in()", "__VERIFIER_nondet_int()");
        let answer = asked(&whole, "ranking", 20);
        let proof = answer.verdict.program_proof().unwrap_or_else(|| panic!("it holds: {whole}"));
        for other in others {
            let program = load(&text.replace('@', other));
            for (what, forged) in forgeries(proof) {
                let claim = audit::Claim { property: &property, missing: cegar::Missing::Stop };
                let budget = Budget::unlimited().with_time(Duration::from_secs(5));
                let settings = audit::Settings::default();
                let judged = audit::audit(&program, claim, &forged, &settings, &budget).judgement;
                assert_ne!(judged, question::Judgement::Accepted, "{what}: {other} in {text}");
                tried += 1;
            }
        }
    }
    assert!(tried > 500, "{tried}");
}
