//! Somebody who waits for an engine hears how far it has come.

use base::{Budget, Silent};
use cegar::{Choice, Property, Settings, verify, verify_threads};
use csource::types::DataModel;
use question::Question;
use std::time::Duration;
use testkit::events::Heard;

/// A lock in a loop, a counter, an array: something for each engine.
const PROGRAM: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int a[4];
  for (int i = 0; i < 4; i++) a[i] = 0;
  int held = 0, state = 0;
  while (__VERIFIER_nondet_int()) {
    if (state == 0) { if (held) reach_error(); held = 1; state = 1; }
    else { held = 0; state = 0; }
  }
  return a[0];
}
";

/// Two threads that count under a lock.
const THREADS: &str = "#include <pthread.h>
#include <assert.h>
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *count(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
int main(void) {
  pthread_t p, q;
  pthread_create(&p, 0, count, 0);
  pthread_create(&q, 0, count, 0);
  pthread_join(p, 0);
  pthread_join(q, 0);
  assert(x == 2);
  return 0;
}
";

#[test]
fn every_choice_of_engines_tells_how_far_it_has_come() {
    let program = testkit::c::load_text(PROGRAM, DataModel::Lp64);
    // Who follows every run, or lets threads take turns, is asked about threads.
    let has_threads = |choice: &Choice| ["all-runs", "turns", "events"].contains(&choice.name());
    // Others only say whether every run ends.
    let about_ends = |choice: &Choice| ["recurrence", "ranking"].contains(&choice.name());
    for (choice, _) in Choice::all().into_iter().filter(|(choice, _)| !has_threads(choice)) {
        let property = if about_ends(&choice) { Property::every_run_ends() } else { Property::standard() };
        let question = Question::never(&program, property);
        let budget = Budget::unlimited().with_time(Duration::from_secs(1));
        let heard = Heard::default();
        let answer = verify(&question, choice, &Settings::default(), &budget, &heard);
        assert!(!heard.figures().is_empty(), "{} is silent: {answer:?}", choice.name());
        // Nothing fails, and there is a run that never ends.
        let is_wrong =
            if about_ends(&choice) { answer.verdict.holds() } else { answer.verdict.is_violated() };
        assert!(!is_wrong, "{}: {answer:?}", choice.name());
    }
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let threaded = testkit::c::load_written(folder, "counting.c", THREADS);
    let question = Question::never(&threaded, Property::standard());
    for (choice, _) in Choice::all().into_iter().filter(|(choice, _)| has_threads(choice)) {
        let heard = Heard::default();
        // Turns and orders of events prove nothing: they end with their time, or when nothing is left.
        let proves = choice.name() == "all-runs";
        let budget = Budget::unlimited();
        let budget = if proves { budget } else { budget.with_time(Duration::from_secs(2)) };
        let answer = verify_threads(&question, choice, &Settings::default(), &budget, &heard).answer;
        assert!(!heard.figures().is_empty(), "{} is silent: {answer:?}", choice.name());
        let is_right = if proves { answer.verdict.holds() } else { !answer.verdict.is_violated() };
        assert!(is_right, "{}: {answer:?}", choice.name());
    }
    // With nobody to listen, the answer is the same.
    let question = Question::never(&program, Property::standard());
    let budget = Budget::unlimited().with_time(Duration::from_secs(60));
    assert!(verify(&question, Choice::AUTO, &Settings::default(), &budget, &Silent).verdict.holds());
}
