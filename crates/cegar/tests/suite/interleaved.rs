//! Programs with threads: all interleavings as one sequential program must fail where the interpreter's own threads do. The two share neither the meaning of locks
//! nor the choice of interleavings.

use base::{Budget, Silent};
use cegar::{Choice, Property, Settings, verify_threads, with_races_as_calls};
use concrete::{Interpreter, Outcome, Plan, UndefinedKind};
use program::{DataModel, Program};
use prove::{Code, Interleavings};
use question::{Answer, Asks, Check, Checks, Engine, Knowledge, Question};
use std::time::Duration;

/// Programs that are compared; more with `CONCORD_DEEP`.
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
        (Outcome::ErrorReached { .. }, None) | (Outcome::Deadlock(_), Some(Check::Deadlock)) => {}
        (Outcome::Undefined(report), Some(Check::Race)) => {
            assert_eq!(report.kind, UndefinedKind::DataRace, "{which}");
        }
        (Outcome::Undefined(report), Some(Check::Library)) => {
            assert_eq!(Check::of_report(report.kind), Some(Check::Library), "{which}");
        }
        (other, _) => panic!("the run ends with {other:?}, {which}"),
    }
}

#[test]
fn one_program_fails_where_threads_do() {
    let programs = if std::env::var_os("CONCORD_DEEP").is_some() { PROGRAMS_IN_DEPTH } else { PROGRAMS };
    let about = |check: Check| {
        let property = Property { checks: Checks::none().with(check), ..Property::default() };
        with_races_as_calls(&property, true)
    };
    let questions = [
        Property::never_called("reach_error"),
        about(Check::Race),
        about(Check::Deadlock),
        about(Check::Library),
    ];
    let mut decided = [0; 8];
    for seed in 0..programs {
        let text = testkit::races::program(seed);
        let program = testkit::c::load_text(&text, DataModel::Lp64);
        for (number, property) in questions.iter().enumerate() {
            let theirs = by_interpreter(&program, property, number == 2);
            for (engine, at) in [("all-runs", 0), ("bmc", 4)] {
                // The solver is asked about some only: it takes longer.
                if engine == "bmc" && seed % 6 != 0 {
                    continue;
                }
                let ours = by_one_program(&program, property, engine);
                let differ = (ours.verdict.holds() && theirs.verdict.is_violated())
                    || (ours.verdict.is_violated() && theirs.verdict.holds());
                assert!(!differ, "seed {seed}, {engine}, question {number}: {ours:#?}\n{theirs:#?}\n{text}");
                decided[at + number] += u32::from(!ours.verdict.is_undecided());
                repeats(
                    &program,
                    &ours,
                    [None, Some(Check::Race), Some(Check::Deadlock), Some(Check::Library)][number],
                    &format!("seed {seed}, {engine}, question {number}\n{text}"),
                );
            }
        }
    }
    assert!(decided.iter().all(|&count| count > 5), "few are decided: {decided:?}");
}
