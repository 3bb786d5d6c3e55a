//! Programs with threads: all interleavings as one sequential program must fail where the interpreter's own threads do. The two share neither the meaning of locks
//! nor the choice of interleavings.

use base::{Budget, Silent};
use cegar::{Choice, Property, Settings, verify_threads, with_races_as_calls};
use concrete::{Interpreter, Plan, RunOutcome, UndefinedKind};
use program::{DataModel, Program};
use prove::{Code, Interleavings};
use question::{Answer, Asks, Check, Checks, Engine, Knowledge, Question};
use std::time::Duration;

/// Programs that are compared; more with `CONCORD_DEEP`, from the number `CONCORD_FROM` on, if it is set.
const PROGRAMS: u64 = 120;
const PROGRAMS_IN_DEPTH: u64 = 3_000;

fn budget() -> Budget {
    Budget::unlimited().with_time(Duration::from_secs(4))
}

fn by_interpreter(program: &Program, property: &Property, deadlocks: bool) -> Answer {
    let settings = Settings::default();
    let code = Code::new(program, property, &settings);
    let asks = Asks::Never(property.clone());
    let question = Question { name: String::new(), about: &code, asks };
    Interleavings { deadlocks }.run(&question, &Knowledge::new(), &budget(), &Silent)
}

fn by_one_program(program: &Program, property: &Property, engine: &str) -> Answer {
    let choice = Choice::named(engine).expect("it is in the table");
    let question = Question::never(program, property.clone());
    verify_threads(&question, choice, &Settings::default(), &budget(), &Silent).answer
}

/// A violation comes with a schedule that the interpreter's threads repeat; a run of the sequential program that they do not repeat is one too many.
fn repeats(program: &Program, ours: &Answer, question: Option<Check>, which: &str) {
    let open = ours.verdict.undecided().map(|open| open.reason.to_string()).unwrap_or_default();
    assert!(!open.contains("do not repeat it"), "{open}, {which}");
    let Some(violation) = ours.verdict.run() else { return };
    let plan = violation.schedule.as_ref().expect("a violation has a schedule");
    let read = Plan::parse(&plan.to_text()).expect("it can be read");
    assert_eq!(read, *plan);
    let divided = threads::divided(program);
    let visible = concrete::interleavings::accesses(&divided);
    let (races, deadlocks) = (question == Some(Check::Race), question == Some(Check::Deadlock));
    let settings = concrete::Settings { races, deadlocks, ..concrete::Settings::default() };
    let run = Interpreter::for_threads(&divided).repeat(&settings, &visible, &read, None);
    let run = run.unwrap_or_else(|| panic!("the schedule is left, {which}"));
    match (&run.outcome, question) {
        (RunOutcome::ErrorReached { .. }, None) | (RunOutcome::Deadlock(_), Some(Check::Deadlock)) => {}
        (RunOutcome::Undefined(report), Some(Check::Race)) => {
            assert_eq!(report.kind, UndefinedKind::DataRace, "{which}");
        }
        (RunOutcome::Undefined(report), Some(Check::Library)) => {
            assert_eq!(Check::of_report(report.kind), Some(Check::Library), "{which}");
        }
        (other, _) => panic!("the run ends with {other:?}, {which}"),
    }
}

#[test]
fn one_program_fails_where_threads_do() {
    let programs = if std::env::var_os("CONCORD_DEEP").is_some() { PROGRAMS_IN_DEPTH } else { PROGRAMS };
    let questions = [None, Some(Check::Race), Some(Check::Deadlock), Some(Check::Library)];
    compare(testkit::races::program, programs, &questions);
}

#[test]
fn locks_that_programs_make_of_variables_protect_what_they_do() {
    let programs = if std::env::var_os("CONCORD_DEEP").is_some() { PROGRAMS_IN_DEPTH } else { PROGRAMS };
    compare(testkit::races::with_own_locks, programs, &[None, Some(Check::Race)]);
}

#[test]
fn helpers_are_given_variables_and_loops_are_interrupted() {
    let programs = if std::env::var_os("CONCORD_DEEP").is_some() { PROGRAMS_IN_DEPTH } else { PROGRAMS };
    compare(testkit::races::with_helpers, programs / 2, &[None, Some(Check::Race), Some(Check::Deadlock)]);
}

/// What is asked is the check alone; `reach_error` ends the run all the same, and others may do something before.
#[test]
fn what_happens_before_an_error_that_is_not_asked_about_is_seen() {
    let programs = [
        (
            Check::Deadlock,
            "pthread_cond_t c; pthread_mutex_t m;\nvoid *f(void *a) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0; }",
        ),
        (Check::Race, "int x;\nvoid *f(void *a) { x = 1; return 0; }"),
    ];
    for (check, threads) in programs {
        let main = "int main(void) { pthread_t p, q; pthread_create(&p, 0, f, 0); pthread_create(&q, 0, f, 0); reach_error(); return 0; }";
        let text = format!("{}{threads}\n{main}\n", testkit::races::DECLARATIONS);
        let program = testkit::c::load_text(&text, DataModel::Lp64);
        let property = Property { checks: Checks::none().with(check), ..Property::default() };
        let property = with_races_as_calls(&property, true);
        for engine in ["all-runs", "bmc"] {
            let ours = by_one_program(&program, &property, engine);
            assert!(ours.verdict.is_violated(), "{engine}, {check:?}: {ours:#?}");
        }
    }
}

/// Compares the engines with the interpreter's own threads, about calls of `reach_error` or what a check is about.
fn compare(text_of: fn(u64) -> String, programs: u64, questions: &[Option<Check>]) {
    let about = |check: Check| {
        let property = Property { checks: Checks::none().with(check), ..Property::default() };
        with_races_as_calls(&property, true)
    };
    let engines = ["all-runs", "bmc", "turns", "events"];
    let mut decided = vec![[0; 4]; questions.len()];
    let mut found_by_drawing = 0;
    let from = std::env::var("CONCORD_FROM").ok().map_or(0, |from| from.parse().expect("a number"));
    for seed in from..programs {
        let text = text_of(seed);
        let program = testkit::c::load_text(&text, DataModel::Lp64);
        for (number, &check) in questions.iter().enumerate() {
            let property = check.map_or_else(|| Property::never_called("reach_error"), about);
            let theirs = by_interpreter(&program, &property, check == Some(Check::Deadlock));
            if seed % 4 == 2 {
                let short = Budget::unlimited().with_time(Duration::from_millis(250));
                let missing = Settings::default().missing;
                let drawn =
                    prove::drawn_schedules(&program, &property, missing, (&short, &budget()), &Silent);
                assert!(drawn.is_none() || !theirs.verdict.holds(), "seed {seed}, {check:?}\n{text}");
                found_by_drawing += u32::from(drawn.is_some());
            }
            for (at, engine) in engines.into_iter().enumerate() {
                // The solver is asked about some only: it takes longer. Where nothing fails, turns only take time.
                let is_left_out = match engine {
                    "bmc" => seed % 6 != 0,
                    "turns" => seed % 6 != 1 || theirs.verdict.holds(),
                    "events" => seed % 3 != 0,
                    _ => false,
                };
                if is_left_out {
                    continue;
                }
                let ours = by_one_program(&program, &property, engine);
                let differ = (ours.verdict.holds() && theirs.verdict.is_violated())
                    || (ours.verdict.is_violated() && theirs.verdict.holds());
                assert!(!differ, "seed {seed}, {engine}, {check:?}: {ours:#?}\n{theirs:#?}\n{text}");
                // What turns find must fail as threads are drawn too.
                let open = ours.verdict.undecided().map(|open| open.reason.to_string()).unwrap_or_default();
                assert!(
                    !open.contains("as they are drawn they do not"),
                    "seed {seed}, {check:?}: {open}\n{text}"
                );
                // No order of steps may be missing, nor one too many.
                if engine == "events" {
                    let is_missed = theirs.verdict.is_violated() && open.contains("no order of the steps");
                    let is_refused = open.contains("not when it is run");
                    assert!(
                        !is_missed && !is_refused,
                        "seed {seed}, {check:?}: {ours:#?}\n{theirs:#?}\n{text}"
                    );
                }
                decided[number][at] += u32::from(!ours.verdict.is_undecided());
                repeats(&program, &ours, check, &format!("seed {seed}, {engine}, {check:?}\n{text}"));
            }
        }
    }
    for (number, counts) in decided.iter().enumerate() {
        assert!(counts[0] > 5 && counts[1] > 3, "few are decided about {:?}: {decided:?}", questions[number]);
    }
    assert!(found_by_drawing > 1, "drawn schedules find little: {found_by_drawing}");
    for (engine, what) in [(2, "turns"), (3, "orders of events")] {
        let found = decided.iter().map(|counts| counts[engine]).sum::<u32>();
        assert!(found > 5, "{what} find little: {decided:?}");
    }
}
