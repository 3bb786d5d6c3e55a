//! Runs that go on from a moment of an earlier run are the runs from the start with the same inputs.

use crate::common;
use concrete::{
    Captured, Discarded, InputShape, InputTrouble, Inputs, Interpreter, Moments, Observer, RunOutcome,
    Settings, Step,
};

/// Arrays, calls, recursion, blocks that are freed, lifetimes of locals, a static variable, a place where two inputs are
/// asked for in one expression, and an input that is no step of its own.
const PROGRAM: &str = "
#include <stdlib.h>
extern _Bool __VERIFIER_nondet_bool(void);
static int seen[4];
static int depth(int n) { int here[2] = {n, 0}; here[1] = __VERIFIER_nondet_bool(); return n ? depth(n - 1) + here[1] : here[0]; }
int main(void)
{
    unsigned hash = 5;
    int *kept = 0;
    for (int i = 0; i < 3; i++) {
        int *block = malloc(sizeof(int) * (2 + i));
        block[0] = __VERIFIER_nondet_bool() * 2 + __VERIFIER_nondet_bool();
        seen[block[0]]++;
        hash = hash * 31 + (unsigned)block[0];
        if (kept) free(kept);
        kept = block;
    }
    hash = hash * 7 + (unsigned)depth(2) + (unsigned)kept[0];
    free(kept);
    return (int)((hash ^ (unsigned)(seen[0] * 3 + seen[3])) & 127);
}
";

/// The choices of a run; all others are 0.
struct Chosen<'c> {
    choices: &'c mut Vec<bool>,
    at: usize,
    known: usize,
}

impl Inputs for Chosen<'_> {
    fn next(&mut self, _: &str, _: InputShape) -> Result<u128, InputTrouble> {
        if self.at == self.choices.len() {
            self.choices.push(false);
        }
        self.at += 1;
        Ok(u128::from(self.choices[self.at - 1]))
    }

    fn wants_state(&self) -> bool {
        self.at >= self.known
    }

    fn comes_back(&self) -> bool {
        true
    }
}

#[derive(Default)]
struct Steps(Vec<(u32, u32)>);

impl Observer for Steps {
    fn step(&mut self, step: Step) {
        use base::Id;
        self.0.push((step.procedure.index() as u32, step.edge.index() as u32));
    }
}

struct Seen {
    choices: Vec<bool>,
    outcome: RunOutcome,
    steps: u64,
    made: Vec<(u32, u32)>,
}

fn all_runs(interpreter: &Interpreter<'_>, mut moments: Option<Moments>) -> Vec<Seen> {
    let settings = Settings::default();
    let (mut choices, mut all) = (Vec::new(), Vec::new());
    loop {
        let known: usize = choices.len();
        let at = moments.as_mut().map_or(0, |moments| moments.back_to(known.saturating_sub(1)));
        let mut steps = Steps::default();
        let mut inputs = Chosen { choices: &mut choices, at, known };
        let run = match &mut moments {
            Some(moments) => {
                interpreter.watch_on(&settings, &mut Discarded, &mut inputs, &mut steps, moments)
            }
            None => interpreter.watch(&settings, &mut Captured::default(), &mut inputs, &mut steps),
        };
        all.push(Seen {
            choices: choices.clone(),
            outcome: run.outcome,
            steps: run.statistics.steps,
            made: steps.0,
        });
        while choices.last() == Some(&true) {
            choices.pop();
        }
        match choices.last_mut() {
            Some(last) => *last = true,
            None => return all,
        }
    }
}

#[test]
fn runs_from_moments_are_runs_from_the_start() {
    let program = common::load_text("moments", PROGRAM);
    let interpreter = Interpreter::new(&program);
    let plain = all_runs(&interpreter, None);
    let kept = all_runs(&interpreter, Some(Moments::default()));
    assert_eq!(plain.len(), 512);
    assert_eq!(kept.len(), plain.len());
    let mut saved = 0;
    for (kept, plain) in kept.iter().zip(&plain) {
        assert_eq!(kept.choices, plain.choices);
        assert_eq!(kept.outcome, plain.outcome, "{:?}", plain.choices);
        assert_eq!(kept.steps, plain.steps, "{:?}", plain.choices);
        assert!(plain.made.ends_with(&kept.made), "{:?}", plain.choices);
        saved += plain.made.len() - kept.made.len();
    }
    let made: usize = plain.iter().map(|run| run.made.len()).sum();
    assert!(saved > made / 2, "{saved} of {made} steps are not made again");
}
