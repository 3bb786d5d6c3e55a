//! Certificates written by hand: right ones are accepted, and every way of being wrong is found out.

use audit::{Claim, Settings, audit};
use base::{Budget, Id, Span};
use csource::types::DataModel;
use program::Program;
use question::{Judgement, Missing, Property};
use std::time::Duration;
use verdict::{ActiveCall, Condition, LoopInvariant, ProgramProof, ProofArgument};

fn load(text: &str) -> Program {
    testkit::c::load_text(text, DataModel::Lp64)
}

fn property() -> Property {
    Property { assertions: true, ..Property::never_called("reach_error") }
}

fn judge(program: &Program, proof: &ProgramProof) -> Judgement {
    let budget = Budget::unlimited().with_time(Duration::from_secs(60));
    let claim = Claim { property: &property(), missing: Missing::Stop };
    audit(program, claim, proof, &Settings::default(), &budget).judgement
}

/// The invariant of the only loop of a procedure, reached by one call from `main` or in `main`.
fn invariant(program: &Program, procedure: &str, conditions: &[&str]) -> LoopInvariant {
    let id = program.procedure_named(procedure).expect("it is there");
    let body = program.procedures[id].body.as_ref().expect("it has a body");
    let (node, head) =
        body.nodes.iter_enumerated().find(|(_, node)| node.is_loop_head).expect("it has a loop");
    let main = program.main.expect("there is a main");
    let mut calls = Vec::new();
    if id != main {
        let edges = &program.procedures[main].body.as_ref().expect("main has a body").edges;
        let is_call = |edge: &program::Edge| matches!(edge.action, program::Action::Call { callee: program::Callee::Direct(callee), .. } if callee == id);
        let (edge, _) = edges.iter_enumerated().find(|(_, edge)| is_call(edge)).expect("main calls it");
        calls.push(ActiveCall {
            procedure: "main".into(),
            procedure_number: main.index() as u32,
            edge: edge.index() as u32,
            at: Span::default(),
        });
    }
    LoopInvariant {
        procedure: procedure.into(),
        procedure_number: id.index() as u32,
        node: node.index() as u32,
        at: head.span,
        calls,
        conditions: conditions.iter().map(|text| Condition::C((*text).into())).collect(),
    }
}

fn inductive(program: &Program, depth: u32, loops: &[(&str, &[&str])]) -> ProgramProof {
    let mut proof = ProgramProof::by(ProofArgument::Induction { depth });
    proof.loops =
        loops.iter().map(|(procedure, conditions)| invariant(program, procedure, conditions)).collect();
    proof
}

const PARITY: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
    int main(void) { unsigned x = 0; while (__VERIFIER_nondet_int()) { x += 2; } if (x & 1) reach_error(); return 0; }\n";

#[test]
fn a_right_invariant_is_accepted_and_wrong_ones_are_not() {
    let program = load(PARITY);
    let of = |conditions: &[&str]| judge(&program, &inductive(&program, 1, &[("main", conditions)]));
    assert_eq!(of(&["(x & 1) == 0"]), Judgement::Accepted);
    assert_eq!(of(&["x % 2 == 0", "1"]), Judgement::Accepted);
    // Not true at the start; true and not kept; kept and too weak; not there at all.
    for wrong in [&["x == 2"][..], &["x < 100"], &["x >= 0"], &[]] {
        assert!(matches!(of(wrong), Judgement::Refuted { .. }), "{wrong:?}: {:?}", of(wrong));
    }
    // Nothing of that name.
    assert!(matches!(of(&["y == 0"]), Judgement::Open { .. }));
}

#[test]
fn loops_in_calls_keep_their_invariants() {
    let program = load(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); int lock;\n\
         static void work(int n) { int i = 0; while (i < n) { lock = 1; i++; lock = 0; } if (lock) reach_error(); }\n\
         int main(void) { while (__VERIFIER_nondet_int()) { work(__VERIFIER_nondet_int()); } return 0; }\n",
    );
    let right = inductive(&program, 1, &[("main", &["lock == 0"]), ("work", &["lock == 0"])]);
    assert_eq!(judge(&program, &right), Judgement::Accepted);
    let wrong = inductive(&program, 1, &[("main", &[]), ("work", &["lock == 0"])]);
    assert!(matches!(judge(&program, &wrong), Judgement::Refuted { .. }));
}

#[test]
fn induction_over_several_rounds() {
    // x is 0, 1, 2, 0, …: after two rounds without failure from any state there is no third with one.
    let program = load(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
         int main(void) { int x = 0; while (__VERIFIER_nondet_int()) { if (x == 7) reach_error(); x = x == 0 ? 1 : x == 1 ? 2 : x == 2 ? 0 : x + 1; } return 0; }\n",
    );
    let of = |depth| judge(&program, &inductive(&program, depth, &[("main", &["x <= 7 && x >= 0"])]));
    assert!(matches!(of(1), Judgement::Refuted { .. }), "the invariant is not kept by one step: {:?}", of(1));
    let program = load(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
         int main(void) { int a = 1, b = 2, c = 3; while (__VERIFIER_nondet_int()) { if (a == 9) reach_error(); a = b; b = c; c = 1; } return 0; }\n",
    );
    let of = |depth| judge(&program, &inductive(&program, depth, &[("main", &[])]));
    assert!(matches!(of(1), Judgement::Refuted { .. }));
    assert!(matches!(of(2), Judgement::Refuted { .. }));
    assert!(matches!(of(3), Judgement::Refuted { .. }));
    assert_eq!(of(4), Judgement::Accepted);
}

#[test]
fn unwinding_is_as_long_as_it_says() {
    let program = load(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
         static int down(int n) { return n <= 0 ? 0 : down(n - 1); }\n\
         int main(void) { int n = __VERIFIER_nondet_int(), s = 0; if (n > 4) n = 4;\n\
         for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) s++; if (s > 6) reach_error(); return down(n); }\n",
    );
    let of = |rounds| judge(&program, &ProgramProof::by(ProofArgument::Unwinding { rounds }));
    assert_eq!(of(5), Judgement::Accepted);
    assert!(matches!(of(2), Judgement::Refuted { .. }), "{:?}", of(2));
}

#[test]
fn a_round_that_changes_nothing_is_the_last_to_look_at() {
    let program = load(
        "extern void reach_error(void); int x;\n\
         int main(void) { x = 0; while (1) { if (x) reach_error(); x = 0; } return 0; }\n",
    );
    let of = |program: &Program| judge(program, &ProgramProof::by(ProofArgument::Unwinding { rounds: 1 }));
    assert_eq!(of(&program), Judgement::Accepted);
    let program = load(
        "extern void reach_error(void); unsigned x;\n\
         int main(void) { while (1) { if (x == 9) reach_error(); x++; } return 0; }\n",
    );
    assert!(matches!(of(&program), Judgement::Refuted { .. }), "{:?}", of(&program));
}

#[test]
fn the_only_run_is_run_again() {
    let only = |text: &str| judge(&load(text), &ProgramProof::by(ProofArgument::OnlyRun));
    let loop_of = |limit: u32, end: &str| {
        format!(
            "extern void reach_error(void); int main(void) {{ unsigned s = 0; for (unsigned i = 0; i < 1000; i++) s += i; if (s != {limit}) {end}; return 0; }}\n"
        )
    };
    assert_eq!(only(&loop_of(499_500, "reach_error()")), Judgement::Accepted);
    assert!(matches!(only(&loop_of(1, "reach_error()")), Judgement::Refuted { .. }));
    assert!(matches!(only(PARITY), Judgement::Refuted { .. }), "it takes inputs");
}

/// Choices between two, with a loop that comes back to states that were seen.
#[test]
fn all_runs_are_made_again() {
    let all = |text: &str| judge(&load(text), &ProgramProof::by(ProofArgument::AllRuns));
    let steps = |worst: u32, ty: &str| {
        format!(
            "extern void reach_error(void); extern {ty} __VERIFIER_nondet(void);\n\
             int main(void) {{ unsigned x = 0; while (1) {{ if (__VERIFIER_nondet()) x = (x + 3) % 7; else x = 2; if (x == {worst}) reach_error(); }} }}\n"
        )
        .replace("__VERIFIER_nondet", &format!("__VERIFIER_nondet_{}", ty.trim_start_matches('_').to_lowercase()))
    };
    assert_eq!(all(&steps(7, "_Bool")), Judgement::Accepted);
    for reached in 0..7 {
        assert!(matches!(all(&steps(reached, "_Bool")), Judgement::Refuted { .. }), "{reached}");
    }
    assert!(matches!(all(&steps(7, "int")), Judgement::Open { .. }), "an integer has more values");
    let overflows = "extern _Bool __VERIFIER_nondet_bool(void); int a[3];\n\
         int main(void) { int i = 0; while (__VERIFIER_nondet_bool()) { a[i] = 1; i = i == 3 ? 0 : i + 1; } return 0; }\n";
    assert!(matches!(all(overflows), Judgement::Refuted { .. }), "the index is 3 at last");
}

#[test]
fn undefined_behaviour_refutes() {
    let program = load(
        "extern int __VERIFIER_nondet_int(void); int a[4];\n\
         int main(void) { int i = __VERIFIER_nondet_int(); if (i >= 0 && i <= 4) a[i] = 1; return 0; }\n",
    );
    let Judgement::Refuted { why, .. } =
        judge(&program, &ProgramProof::by(ProofArgument::Unwinding { rounds: 1 }))
    else {
        panic!("the array has four elements")
    };
    assert!(why.contains("index"), "{why}");
}

#[test]
fn certificates_that_make_no_sense_are_never_accepted() {
    let program = load(PARITY);
    let mut proof = inductive(&program, 1, &[("main", &["(x & 1) == 0"])]);
    proof.gap = Some(verdict::Gap::Read { why: "something is missing".to_owned() });
    assert!(matches!(judge(&program, &proof), Judgement::Open { .. }));
    let mut proof = inductive(&program, 1, &[("main", &["(x & 1) == 0"])]);
    proof.loops[0].node = 9999;
    assert!(!matches!(judge(&program, &proof), Judgement::Accepted));
    let mut proof = inductive(&program, 1, &[("main", &[])]);
    proof.loops[0].conditions = vec![Condition::Smt("(= (bvand |state:x| #x00000001) #x00000000)".into())];
    assert_eq!(judge(&program, &proof), Judgement::Accepted);
    proof.loops[0].conditions = vec![Condition::Smt("(= (bvand |state:x| #x00000001) #x00000001)".into())];
    assert!(matches!(judge(&program, &proof), Judgement::Refuted { .. }));
    // Objects of allocations have no numbers that a condition may name.
    let pointers = load(
        "extern void *malloc(unsigned long); extern int __VERIFIER_nondet_int(void); int main(void) { int *p = malloc(4), n = 0; while (__VERIFIER_nondet_int()) n = 1; return n; }\n",
    );
    let named = inductive(&pointers, 1, &[("main", &["p != 0"])]);
    assert!(matches!(judge(&pointers, &named), Judgement::Open { .. }), "{:?}", judge(&pointers, &named));
    let mut named = inductive(&pointers, 1, &[("main", &[])]);
    assert_eq!(judge(&pointers, &named), Judgement::Accepted);
    named.loops[0].conditions = vec![Condition::Smt("(= |state:p| #x0fff000000000000)".into())];
    assert!(matches!(judge(&pointers, &named), Judgement::Open { .. }));
    proof.loops[0].conditions = vec![Condition::Smt("(= |any0:x| #x00000001)".into())];
    assert!(matches!(judge(&program, &proof), Judgement::Open { .. }));
}

#[test]
fn blocks_of_several_rounds_cannot_be_named() {
    // The second round's block is another one than the first's, so the assertion fails. A round that is walked has one block, and
    // with its number an invariant would say that `first` is always that block.
    let program = load(
        "extern void *malloc(unsigned long); extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
         union word { int *pointer; unsigned long number; };\n\
         int main(void) {\n  unsigned long first = 0; int is = 0;\n\
           while (__VERIFIER_nondet_int()) {\n    union word own, other;\n    own.pointer = malloc(4);\n\
             if (!is) { first = own.number; is = 1; }\n    other.number = first;\n\
             if (other.pointer != own.pointer) reach_error();\n  }\n  return 0;\n}\n",
    );
    for number in 0..80_u64 {
        // Objects lie a quarter into the addresses that are theirs.
        let address = number << 40 | 1 << 38;
        let condition = format!("is == 0 || first == {address}UL");
        let judgement = judge(&program, &inductive(&program, 1, &[("main", &[&condition])]));
        assert!(!matches!(judgement, Judgement::Accepted), "{condition}");
    }
}
