//! What is proved for any number of threads holds for one, two and three of them, with every interleaving made by the interpreter's own threads; and the proof stands when it is made again
//! from what it supposes. A proof that supposes less, or something else, must not stand where the program fails.

use base::{Budget, Silent};
use cegar::{Choice, Property, Settings, Supposed, Threaded, program_for_any, verify_threads};
use program::{DataModel, Program};
use prove::{Code, Interleavings};
use question::{Asks, Engine, Knowledge, Question};
use std::time::Duration;

/// Programs that are compared; more with `CONCORD_DEEP`.
const PROGRAMS: u64 = 40;
const PROGRAMS_IN_DEPTH: u64 = 3_000;

fn prove(program: &Program, property: &Property, seconds: u64) -> Threaded {
    let choice = Choice::named("k-induction").expect("it is in the table");
    let question = Question::never(program, property.clone());
    let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
    verify_threads(&question, choice, &Settings::default(), &budget, &Silent)
}

/// Does one of so many threads fail, as the interpreter makes them? Nothing where it is not known.
fn fails(text: &str, property: &Property) -> Option<bool> {
    let program = testkit::c::load_text(text, DataModel::Lp64);
    let settings = Settings::default();
    let code = Code::new(&program, property, &settings);
    let question = Question { name: String::new(), about: &code, asks: Asks::Never(property.clone()) };
    let budget = Budget::unlimited().with_time(Duration::from_secs(30));
    let answer = Interleavings { deadlocks: false }.run(&question, &Knowledge::new(), &budget, &Silent);
    (!answer.verdict.is_undecided()).then(|| answer.verdict.is_violated())
}

#[test]
fn what_holds_for_any_number_holds_for_few() {
    let programs = if std::env::var_os("CONCORD_DEEP").is_some() { PROGRAMS_IN_DEPTH } else { PROGRAMS };
    let mut seen = Seen::default();
    let open: Vec<u64> = (0..programs).filter(|seed| !seen.look_at(*seed, 3)).collect();
    // On a busy machine little is proved in so short a time: some get as long as it takes.
    for seed in open {
        if seen.is_enough() {
            break;
        }
        seen.look_at(seed, 60);
    }
    assert!(seen.is_enough() && seen.compared >= 2 * seen.proved, "{seen:?}");
}

/// What was seen of random programs.
#[derive(Debug, Default)]
struct Seen {
    proved: u32,
    compared: u32,
    violated: u32,
}

impl Seen {
    /// Most of the programs fail, and of those that do not, not all are proved.
    fn is_enough(&self) -> bool {
        self.proved >= 2 && self.violated >= 3
    }

    /// Is the program decided in so many seconds? What is proved of it must hold for few threads, and be proved again.
    fn look_at(&mut self, seed: u64, seconds: u64) -> bool {
        let property = Property::never_called("reach_error");
        let text = testkit::crowds::program(seed, None);
        let program = testkit::c::load_text(&text, DataModel::Lp64);
        let found = prove(&program, &property, seconds);
        self.violated += u32::from(found.answer.verdict.is_violated());
        let is_decided = !found.answer.verdict.is_undecided();
        let Some(supposed) = found.supposed.filter(|_| found.answer.verdict.holds()) else {
            return is_decided;
        };
        self.proved += 1;
        for count in 1..=3 {
            let few = testkit::crowds::program(seed, Some(count));
            let fails = fails(&few, &property);
            assert_ne!(fails, Some(true), "seed {seed}, {count} threads: {supposed:#?}\n{few}");
            self.compared += u32::from(fails.is_some());
        }
        let shown = found.shows.expect("a proof for any number says what it shows");
        let again = program_for_any(&program, &shown, &supposed);
        assert!(again.is_ok(), "seed {seed}: {:?}\n{text}", again.err());
        true
    }
}

/// Three kinds of proofs: a lock, a count, two threads that differ.
const FLAG: &str = "int m; int x = 1;\nvoid *worker(void *unused) {\n__VERIFIER_atomic_begin(); if (m != 0) { __VERIFIER_atomic_end(); return 0; } m = 1; \
__VERIFIER_atomic_end();\nx = 0;\nx = 1;\nif (x == 0) reach_error();\nm = 0;\nreturn 0;\n}\n";
const MAIN: &str = "int main(void) {\npthread_t t;\nwhile (__VERIFIER_nondet_bool()) pthread_create(&t, 0, worker, 0);\nreturn 0;\n}\n";

#[test]
fn what_is_supposed_must_mean_something_and_be_claimed() {
    let text = format!("{}{FLAG}{MAIN}", testkit::races::DECLARATIONS);
    let program = testkit::c::load_text(&text, DataModel::Lp64);
    let property = Property::never_called("reach_error");
    let found = prove(&program, &property, 30);
    let (supposed, shown) =
        (found.supposed.expect("it is proved"), found.shows.expect("it says what it shows"));
    assert!(program_for_any(&program, &shown, &supposed).is_ok());
    // A property that does not claim the conditions would leave them unchecked.
    assert!(program_for_any(&program, &property, &supposed).is_err());
    // Deadlocks are not looked for.
    let mut more = shown.clone();
    more.functions.push(program::DEADLOCK.to_owned());
    assert!(program_for_any(&program, &more, &supposed).is_err());
    // Nobody is followed.
    assert!(program_for_any(&program, &shown, &Supposed { followed: 0, ..supposed.clone() }).is_err());
    let with = |fact: threads::Fact, at: Vec<(usize, usize)>| {
        let mut forged = supposed.clone();
        forged.conditions.push((threads::Condition { at, fact }, String::new()));
        program_for_any(&program, &shown, &forged)
    };
    let (never, shared) = (threads::Fact::Never, threads::Operand::Shared);
    let number = threads::Operand::Number;
    assert!(with(never.clone(), vec![(0, 99)]).is_err(), "there is no such place");
    assert!(with(never.clone(), vec![(9, 0)]).is_err(), "there is no such kind of threads");
    assert!(with(never.clone(), Vec::new()).is_err(), "nothing is never");
    let more = |shared, tally| threads::Fact::Counts { shared, tally, more: 0 };
    assert!(with(more(99, 0), Vec::new()).is_err(), "nothing is shared there");
    assert!(with(more(0, 99), Vec::new()).is_err(), "there is no such count");
    let itself = threads::Operand::Itself(0);
    let owner = threads::Fact::Compare(program::BinaryOp::Equal, shared(0), itself);
    assert!(with(owner, vec![(0, 1)]).is_err(), "a number says nothing about who has a lock");
    let odd = threads::Fact::Compare(program::BinaryOp::Add, shared(0), number(1));
    assert!(with(odd, Vec::new()).is_err(), "a sum is no comparison");
    // Counts at the start of a thread, with a negative weight, or twice at one place.
    for weights in [vec![(0, 0, 1)], vec![(0, 1, -1)], vec![(0, 1, 1), (0, 1, 1)]] {
        let mut forged = supposed.clone();
        forged.tallies.push(threads::Tally { weights: weights.clone() });
        assert!(program_for_any(&program, &shown, &forged).is_err(), "{weights:?}");
    }
}

/// Two locks that two threads have, and two others that look at both. What one of many threads does not have, another of them may have: to suppose otherwise would leave out this run.
#[test]
fn several_of_the_other_threads_have_locks_at_once() {
    let lock =
        |name: &str| format!("pthread_mutex_lock(&{name}); z = 1; z = 2; pthread_mutex_unlock(&{name});");
    let both = |then: &str| {
        format!(
            "__VERIFIER_atomic_begin(); if (pthread_mutex_trylock(&a) == 0) pthread_mutex_unlock(&a); \
else if (pthread_mutex_trylock(&b) == 0) pthread_mutex_unlock(&b); else {{ {then} }} __VERIFIER_atomic_end();"
        )
    };
    let text = format!(
        "{}pthread_mutex_t a, b; int z; int one; int two;\nvoid *worker(void *unused) {{\n\
if (__VERIFIER_nondet_bool()) {{ {} }} else if (__VERIFIER_nondet_bool()) {{ {} }} else if (__VERIFIER_nondet_bool()) {{ {} }} else {{ {} }}\nreturn 0;\n}}\n\
int main(void) {{\npthread_t t;\nwhile (__VERIFIER_nondet_bool()) pthread_create(&t, 0, worker, 0);\nif (two == 1) reach_error();\nreturn 0;\n}}\n",
        testkit::races::DECLARATIONS,
        lock("a"),
        lock("b"),
        both("one = 1;"),
        both("if (one == 1) two = 1;"),
    );
    let program = testkit::c::load_text(&text, DataModel::Lp64);
    let found = prove(&program, &Property::never_called("reach_error"), 8);
    assert!(!found.answer.verdict.holds(), "{:#?}\n{text}", found.answer);
}

/// Conditions are refuted by runs of another program than the one that they are about: their numbers must mean the same in both. Where they did not, a count that holds was refuted.
#[test]
fn runs_and_proofs_speak_of_the_same_places() {
    let options =
        threads::Options { most_at_once: 2, races: false, deadlocks: false, misuse: false, leaks: false };
    for seed in 0..40 {
        let text = testkit::crowds::program(seed, None);
        let program = testkit::c::load_text(&text, DataModel::Lp64);
        for followed in 1..=2 {
            let of = |purpose| {
                let errors = vec!["reach_error".to_owned()];
                let general = threads::General { followed, purpose, errors, ..threads::General::default() };
                threads::generalise(&program, &options, &general).expect("it can be made").vocabulary
            };
            let (proof, runs) = (of(threads::Purpose::Proof), of(threads::Purpose::Runs));
            assert!(runs.is_like(&proof), "seed {seed}, {followed} followed\n{text}");
            assert!(of(threads::Purpose::Search).is_like(&proof), "seed {seed}, {followed} followed\n{text}");
        }
    }
}

/// Twenty threads count, and one that began before them looks: no number of threads that is followed shows it, a drawn schedule does.
#[test]
fn drawn_schedules_find_what_needs_many_threads() {
    let program = |first: u32| {
        format!(
            "{}int x; unsigned n;\nunsigned __VERIFIER_nondet_uint(void); void __VERIFIER_assume(int);\n\
void *looks(void *unused) {{ if (x >= (int)n) reach_error(); return 0; }}\n\
void *counts(void *unused) {{ __VERIFIER_atomic_begin(); x = x + 1; __VERIFIER_atomic_end(); return 0; }}\n\
int main(void) {{ pthread_t t; n = __VERIFIER_nondet_uint(); __VERIFIER_assume(n >= 20 && n < 40); pthread_create(&t, 0, looks, 0);\n\
for (unsigned i = {first}; i < n; i = i + 1) pthread_create(&t, 0, counts, 0);\nreturn 0; }}\n",
            testkit::races::DECLARATIONS
        )
    };
    let property = Property::never_called("reach_error");
    for (first, fails) in [(0, true), (1, false)] {
        let program = testkit::c::load_text(&program(first), DataModel::Lp64);
        let budget = Budget::unlimited().with_time(Duration::from_secs(5));
        let found =
            prove::drawn_schedules(&program, &property, cegar::Missing::Stop, (&budget, &budget), &Silent);
        assert_eq!(found.is_some(), fails, "from {first}");
        let Some(found) = found else { continue };
        let plan = found.violation.schedule.expect("it has a schedule");
        assert!(plan.acting() >= 20, "{}", plan.to_text());
    }
}
