//! What a run tells beside its end: inputs to repeat it, steps to an observer, tolerated undefined behaviour, figures, and
//! schedules that can be prescribed.

use crate::common;

use base::Id;
use concrete::{
    Captured, ConsumedInput, InputShape, InputTrouble, Inputs, Interpreter, ListedInputs, Observer,
    OnMissingBody, OnUndefined, RunOutcome, Schedule, SeededInputs, Settings, Step, ThreadId, UnknownReason,
};
use program::ProcedureId;
use std::collections::VecDeque;

const SEARCH: &str = "
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 20; i++)
        sum = (sum ^ __VERIFIER_nondet_int()) + __VERIFIER_nondet_uchar() % 7;
    return sum & 127;
}
";

/// The values of an earlier run, in order.
struct Recorded(VecDeque<ConsumedInput>);

impl Inputs for Recorded {
    fn next(&mut self, name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        let input = self.0.pop_front().ok_or(InputTrouble::Exhausted)?;
        assert_eq!((&*input.name, input.shape), (name, shape), "the run asks for another value");
        Ok(input.bits)
    }
}

#[test]
fn recorded_inputs_repeat_a_run() {
    let program = common::load_text("recorded_inputs", SEARCH);
    let interpreter = Interpreter::new(&program);
    let settings = Settings { on_undefined: OnUndefined::Continue, ..Settings::default() };
    let mut statuses = Vec::new();
    for seed in 0..5 {
        let first = interpreter.run(&settings, &mut Captured::default(), &mut SeededInputs::new(seed));
        assert_eq!(first.inputs.len(), 40);
        let mut replay = Recorded(first.inputs.clone().into());
        let second = interpreter.run(&settings, &mut Captured::default(), &mut replay);
        assert_eq!(first.outcome, second.outcome);
        assert_eq!(first.inputs, second.inputs);
        assert_eq!(first.statistics, second.statistics);
        statuses.push(first.outcome);
    }
    assert!(statuses.windows(2).any(|pair| pair[0] != pair[1]), "all seeds gave the same");
}

#[derive(Default)]
struct Recorder {
    steps: Vec<Step>,
    calls: Vec<ProcedureId>,
}

impl Observer for Recorder {
    fn step(&mut self, step: Step) {
        self.steps.push(step);
    }

    fn called(&mut self, _thread: ThreadId, procedure: ProcedureId) {
        self.calls.push(procedure);
    }
}

#[test]
fn observers_see_every_edge_and_what_it_writes() {
    let text = "
static int square(int x) { return x * x; }
int main(void)
{
    int cells[2];
    cells[1] = square(7);
    return cells[1];
}
";
    let program = common::load_text("observed", text);
    let mut recorder = Recorder::default();
    let run = Interpreter::new(&program).watch(
        &Settings::default(),
        &mut Captured::default(),
        &mut SeededInputs::new(0),
        &mut recorder,
    );
    assert_eq!(run.outcome, RunOutcome::Exited(49));
    let names: Vec<&str> = recorder.calls.iter().map(|&call| &*program.procedures[call].name).collect();
    assert_eq!(names, ["main", "square"]);
    let written: Vec<_> = recorder.steps.iter().filter_map(|step| step.written).collect();
    assert!(written.iter().any(|written| written.bits == 49 && written.address.is_some()), "{written:?}");
    assert!(recorder.steps.iter().any(|step| step.depth == 2));
    // Each call and each return is one step; nothing is told twice.
    assert_eq!(recorder.steps.len() as u64, run.statistics.steps);
    for pair in recorder.steps.windows(2) {
        if pair[0].procedure == pair[1].procedure && pair[0].depth == pair[1].depth {
            let graph = program.procedures[pair[0].procedure].body.as_ref().expect("it ran");
            assert_eq!(graph.edges[pair[0].edge].to, graph.edges[pair[1].edge].from, "steps follow edges");
        }
    }
}

#[test]
fn tolerated_behaviour_is_listed_once_per_place() {
    let text = "
int main(void)
{
    int x = 2147483647;
    for (int i = 0; i < 5; i++)
        x = x * 3;
    return 1 << (32 + (x & 1));
}
";
    let program = common::load_text("tolerated", text);
    let settings = Settings { on_undefined: OnUndefined::Continue, ..Settings::default() };
    let run = concrete::run(&program, &settings, &mut Captured::default(), &mut SeededInputs::new(0));
    let kinds: Vec<&str> = run.tolerated.iter().map(|report| report.kind.name()).collect();
    assert_eq!(kinds, ["signed-overflow", "bad-shift"]);
}

#[test]
fn missing_functions_are_named_or_supposed() {
    let program = common::load_text("missing_named", "int f(void); int main(void) { return f() + f(); }");
    let run =
        concrete::run(&program, &Settings::default(), &mut Captured::default(), &mut SeededInputs::new(0));
    let RunOutcome::Unknown(unknown) = run.outcome else { panic!("{:?}", run.outcome) };
    assert_eq!(unknown.reason, UnknownReason::MissingBody("f".into()));
    let settings = Settings { missing: OnMissingBody::Nondet, ..Settings::default() };
    let mut list = ListedInputs::parse("f = 3\nf = 4").expect("values");
    let run = concrete::run(&program, &settings, &mut Captured::default(), &mut list);
    assert_eq!(run.outcome, RunOutcome::Exited(7));
    assert_eq!(run.assumptions.len(), 1);
    assert_eq!(&*run.assumptions[0].subject, "f");
}

#[test]
fn schedules_can_be_prescribed() {
    let text = "
#include <pthread.h>
static int turn;
static void *work(void *p) { turn = turn * 2; return 0; }
int main(void)
{
    pthread_t t;
    turn = 1;
    pthread_create(&t, 0, work, 0);
    turn = turn + 5;
    pthread_join(t, 0);
    return turn;
}
";
    let program = common::load_text("schedule", text);
    let run = |schedule: Vec<usize>| {
        let schedule = Schedule::Explicit(schedule.into_iter().map(ThreadId::from_index).collect());
        let settings = Settings { schedule, ..Settings::default() };
        concrete::run(&program, &settings, &mut Captured::default(), &mut SeededInputs::new(0)).outcome
    };
    assert_eq!(run(vec![0; 20]), RunOutcome::Exited(12));
    assert_eq!(run(vec![1; 20]), RunOutcome::Exited(7));
}

#[test]
fn figures_count_steps_memory_and_calls() {
    let text = "
#include <stdlib.h>
static int depth(int n) { return n ? depth(n - 1) : 0; }
int main(void) { char *p = malloc(100000); free(p); return depth(9); }
";
    let program = common::load_text("figures", text);
    let run =
        concrete::run(&program, &Settings::default(), &mut Captured::default(), &mut SeededInputs::new(0));
    assert_eq!(run.outcome, RunOutcome::Exited(0));
    assert!(run.statistics.peak_bytes >= 100_000 && run.statistics.peak_bytes < 110_000);
    assert_eq!(run.statistics.peak_call_depth, 11);
    assert!(run.statistics.steps > 20);
}
