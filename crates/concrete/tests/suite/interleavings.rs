//! Random programs with threads: the search that exchanges no steps that commute must answer as the one that makes every run, and each
//! schedule it finds must repeat.

use concrete::interleavings::{Explored, Judge, Judged, Reduction, Search, Unseen, accesses};
use concrete::{Interpreter, Observer, OnUndefined, Plan, Run, RunOutcome, Settings, UndefinedKind};
use program::{DataModel, Program};

/// What is looked for in runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looked {
    Error,
    Race,
    Deadlock,
    Undefined(UndefinedKind),
}

impl Looked {
    pub fn settings(self) -> Settings {
        let mut settings = Settings {
            races: self == Looked::Race,
            deadlocks: self == Looked::Deadlock,
            on_undefined: OnUndefined::Continue,
            ..Settings::default()
        };
        settings.limits.steps = Some(100_000);
        settings
    }
}

impl Judge for Looked {
    fn observer(&mut self) -> Option<&mut dyn Observer> {
        None
    }

    fn judge(&mut self, run: &Run) -> Judged {
        let ended = match &run.outcome {
            RunOutcome::Undefined(report) => Some(&**report),
            _ => None,
        };
        if let Some(report) = run.tolerated.iter().chain(ended).next() {
            return match *self {
                Looked::Race if report.kind == UndefinedKind::DataRace => Judged::Found,
                Looked::Undefined(kind) if report.kind == kind => Judged::Found,
                _ => Judged::Open(report.message.clone()),
            };
        }
        match &run.outcome {
            RunOutcome::ErrorReached { .. } if *self == Looked::Error => Judged::Found,
            RunOutcome::Deadlock(_) if *self == Looked::Deadlock => Judged::Found,
            RunOutcome::Unknown(unknown) => Judged::Open(unknown.message.clone()),
            RunOutcome::LimitReached(limit, _) => Judged::Open(limit.to_string()),
            _ => Judged::Fine,
        }
    }
}

/// Runs of the twin at most; programs with more are left out.
const MOST_RUNS: u64 = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Holds,
    Violated,
    Open,
    TooMany,
}

/// The three questions.
const QUESTIONS: [Looked; 3] = [Looked::Error, Looked::Race, Looked::Deadlock];

fn ask(program: &Program, looked: Looked, reduction: Reduction) -> (Answer, Option<Plan>) {
    let visible = accesses(program);
    let interpreter = Interpreter::for_threads(program);
    let settings = looked.settings();
    let search = Search { reduction, most_runs: MOST_RUNS };
    match interpreter.explore(&settings, &visible, search, &mut { looked }) {
        Explored::Everything { .. } => (Answer::Holds, None),
        Explored::Found(plan) => {
            let again = Plan::parse(&plan.to_text()).expect("a plan is read as it is written");
            let run = interpreter.repeat(&settings, &visible, &again, None);
            let judged = run.map(|run| { looked }.judge(&run));
            assert_eq!(judged, Some(Judged::Found), "{looked:?}: {}", plan.to_text());
            (Answer::Violated, Some(*plan))
        }
        Explored::Partly(Unseen::TooManyRuns) => (Answer::TooMany, None),
        Explored::Partly(_) => (Answer::Open, None),
    }
}

fn compare(seeds: std::ops::Range<u64>) {
    let mut seen = [[0u32; 4]; 3];
    for seed in seeds {
        let text = testkit::races::program(seed);
        let program = testkit::c::load_text(&text, DataModel::Lp64);
        for (number, question) in QUESTIONS.into_iter().enumerate() {
            let (all, _) = ask(&program, question, Reduction::None);
            seen[number][all as usize] += 1;
            if all == Answer::TooMany {
                continue;
            }
            let (reduced, plan) = ask(&program, question, Reduction::Commuting);
            let shown = plan.map(|plan| plan.to_text()).unwrap_or_default();
            // Where undefined behaviour ends a run, what others might have done before it may be left out: then nothing is claimed.
            let is_cut_off =
                matches!((reduced, all), (Answer::Open, Answer::Violated) | (Answer::Violated, Answer::Open));
            assert!(
                reduced == all || is_cut_off,
                "seed {seed}, {question:?}: {reduced:?}, {all:?}\n{text}\n{shown}"
            );
        }
    }
    // The comparison means something only if every answer was seen often.
    for (number, question) in QUESTIONS.into_iter().enumerate() {
        let [holds, violated, open, too_many] = seen[number];
        assert!(holds > too_many / 2 && holds > open && violated > 0, "{question:?}: {:?}", seen[number]);
    }
}

#[test]
fn the_search_answers_as_its_twin() {
    compare(0..250);
}

#[test]
fn the_search_answers_as_its_twin_on_many_programs() {
    if std::env::var_os("CONCORD_DEEP").is_some() {
        compare(400..6_000);
    }
}

/// What the thread does when its time is over was seen before, so the search leaves it alone: nobody waits for ever.
#[test]
fn who_waits_for_a_while_is_no_deadlock() {
    let text = format!(
        "{}int x, y, plain;\npthread_mutex_t n;\npthread_cond_t c;\n\
void *f0(void *p) {{\n  int t;\n  pthread_mutex_lock(&n);\n  t = x; if (t == 0) pthread_cond_timedwait(&c, &n, 0);\n  x = t + 1;\n\
  pthread_mutex_unlock(&n);\n  return 0;\n}}\n\
void *f1(void *p) {{\n  int t = y;\n  if (__VERIFIER_nondet_bool()) pthread_cond_signal(&c);\n  return 0;\n}}\n\
void *f2(void *p) {{\n  int t = plain;\n  return 0;\n}}\n\
int main(void) {{\n  int t; pthread_t id[3];\n  pthread_create(&id[0], 0, f0, 0);\n  pthread_create(&id[1], 0, f1, 0);\n\
  pthread_create(&id[2], 0, f2, 0);\n  pthread_mutex_lock(&n);\n  t = plain; plain = t + 1;\n  plain = 0;\n  pthread_mutex_unlock(&n);\n\
  pthread_join(id[0], 0);\n  pthread_join(id[1], 0);\n  pthread_join(id[2], 0);\n  return 0;\n}}\n",
        testkit::races::DECLARATIONS
    );
    let program = testkit::c::load_text(&text, DataModel::Lp64);
    let visible = accesses(&program);
    let settings = Looked::Deadlock.settings();
    let search = Search { reduction: Reduction::Commuting, most_runs: 1_000_000 };
    let found =
        Interpreter::for_threads(&program).explore(&settings, &visible, search, &mut { Looked::Deadlock });
    assert!(matches!(found, Explored::Everything { .. }), "{found:?}\n{text}");
}
