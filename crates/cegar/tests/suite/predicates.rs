//! The engine `predicates` alone: it never contradicts what programs say of themselves, and decides what it is for. (Random programs: `random_loops`.)

use base::{Budget, Silent};
use cegar::{Choice, Property, Settings, verify};
use csource::types::DataModel;
use program::Program;
use question::{Answer, Question, Verdict};
use std::path::Path;
use std::time::Duration;

fn load(text: &str) -> Program {
    testkit::c::load_text(text, DataModel::Lp64)
}

fn answer(program: &Program, seconds: u64) -> Verdict {
    whole_answer(program, seconds).verdict
}

fn whole_answer(program: &Program, seconds: u64) -> Answer {
    let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
    let choice = Choice::named("predicates").expect("it is in the table");
    let question = Question::never(program, Property::standard());
    verify(&question, choice, &Settings::default(), &budget, &Silent)
}

/// These must be decided: recursion, and what locks and states need.
const DECIDED: [&str; 5] = [
    "recursive_identity.c",
    "recursive_depth.c",
    "mutual_recursion.c",
    "lock_alternation.c",
    "empty_error.c",
];

#[test]
fn programs_are_not_contradicted_and_recursion_is_decided() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the programs are there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("readable");
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let must = DECIDED.contains(&&*name);
        let finding = answer(&load(&text), if must { 60 } else { 1 });
        let word = match &finding {
            Verdict::Holds(_) => {
                assert_eq!(finding.program_proof().map(|proof| &proof.gap), Some(&None), "{name}");
                "// HOLDS"
            }
            Verdict::Violated(_) => "// VIOLATED",
            Verdict::Undecided(_) if !must => continue,
            Verdict::Undecided(undecided) => panic!("{name}: {undecided:?}"),
        };
        assert!(text.starts_with(word), "{name}: {word}");
    }
}

/// Variables of different functions may have one name and different types.
#[test]
fn names_are_shared_by_variables_of_other_types() {
    let text = "int main(void) { return __builtin_ffs(0) + __builtin_parity(0); }";
    let finding = answer(&load(text), 20);
    assert!(!matches!(finding, Verdict::Violated(_)), "{finding:?}");
}

/// For reports: which counterexample asked for which predicates. A lock that is taken and given back by turns needs
/// to know whether it is held.
#[test]
fn rounds_say_what_led_to_which_predicates() {
    let text = "extern int __VERIFIER_nondet_int(void);
int held = 0;
void lock(void) { __CPROVER_assert(!held, \"free\"); held = 1; }
void unlock(void) { __CPROVER_assert(held, \"held\"); held = 0; }
int main(void) {
    int before, now = 0;
    do { lock(); before = now; if (__VERIFIER_nondet_int()) { unlock(); now++; } } while (now != before);
    unlock();
}";
    let answer = whole_answer(&load(text), 60);
    assert!(answer.verdict.holds(), "{:?}", answer.verdict);
    let (last, before) = answer.rounds.split_last().expect("rounds are told");
    assert!(last.counterexample.is_empty() && last.predicates > 0, "{last:?}");
    assert!(!before.is_empty());
    for round in before {
        assert!(!round.counterexample.is_empty() && !round.why.is_empty(), "{round:?}");
    }
    let found: Vec<&String> = before.iter().flat_map(|round| &round.found).collect();
    assert!(found.iter().any(|predicate| predicate.contains("held")), "{found:?}");
}
