//! Every run of a program whose inputs are choices between two, made again: all interleavings as one program, where a scheduler chooses.
//!
//! Depth first: a run takes the first way at each choice, up to its end or to a state that another run was in before a choice; then the last choice that has
//! another way is made otherwise. States are told apart by the interpreter's digests of sixteen bytes. Nothing is taken from the engine that found the proof.
//!
//! **Obligation.** Accepted only if every run came to its end or to a state that was seen, no input had more than two values, and nothing in a run is forbidden or
//! left open. What ends a run early (time, a step without known meaning) leaves the proof open.

use crate::claim::Claim;
use crate::only_run::{Guard, at_end, harm, outside_influence, settings};
use base::Budget;
use concrete::{
    Discarded, InputShape, InputTrouble, Inputs, Interpreter, Moments, RunOutcome, UnknownReason,
};
use program::Program;
use question::{Check, Judgement, Property};
use rustc_hash::FxHashSet;

/// Choices of one run, and states in all.
const MOST_CHOICES: usize = 100_000;
const MOST_STATES: usize = 20_000_000;

/// Makes all runs and looks for what must not happen; tells how many states there were.
pub(crate) fn audit(program: &Program, claim: Claim<'_>, budget: &Budget) -> (Judgement, u64) {
    let open = |why: &str| Judgement::Open { why: why.to_owned() };
    if let Some(what) = outside_influence(program) {
        return (open(&format!("the program may have other runs: {what}")), 0);
    }
    if claim.property.checks.has(Check::Lost) {
        return (open("that no block is lost is not looked at in runs that go on for ever"), 0);
    }
    let interpreter = Interpreter::new(program);
    let settings = settings(claim, budget);
    let mut moments = Moments::default();
    let mut tree = Tree::default();
    loop {
        if let Err(why) = budget.check() {
            return (open(&why.to_string()), tree.states());
        }
        let mut guard = Guard::new(program, claim.property);
        tree.at = moments.back_to(tree.repeated.saturating_sub(1));
        let run = interpreter.watch_on(&settings, &mut Discarded, &mut tree, &mut guard, &mut moments);
        if let Some(refuted) = harm(&run, &guard, claim) {
            return (refuted, tree.states());
        }
        if let Some(why) = tree.open {
            return (open(why), tree.states());
        }
        if !run.assumptions.is_empty() || run.statistics.threads > 1 {
            return (open("a run rests on what the interpreter supposes"), tree.states());
        }
        match is_over(&run.outcome, tree.is_known, claim.property) {
            true => {}
            false => match at_end(run, claim) {
                Judgement::Accepted => {}
                other => return (other, tree.states()),
            },
        }
        if !tree.next() {
            return (Judgement::Accepted, tree.states());
        }
    }
}

/// Does the run go no further, or on as another that was seen?
fn is_over(outcome: &RunOutcome, is_known: bool, property: &Property) -> bool {
    match outcome {
        RunOutcome::AssumptionUnmet(_) => true,
        RunOutcome::Unknown(unknown) => is_known && unknown.reason == UnknownReason::InputsExhausted,
        RunOutcome::AssertionFailed { .. } => !property.assertions,
        _ => false,
    }
}

/// The choices of the present run, each with whether it is the second way, and what was seen.
#[derive(Default)]
struct Tree {
    choices: Vec<bool>,
    at: usize,
    /// So many choices are those of the run before, the last made otherwise.
    repeated: usize,
    seen: FxHashSet<u128>,
    is_known: bool,
    open: Option<&'static str>,
}

impl Tree {
    fn states(&self) -> u64 {
        self.seen.len() as u64
    }

    /// The last choice that has another way is made otherwise.
    fn next(&mut self) -> bool {
        while self.choices.last() == Some(&true) {
            self.choices.pop();
        }
        let Some(last) = self.choices.last_mut() else { return false };
        *last = true;
        (self.repeated, self.is_known) = (self.choices.len(), false);
        true
    }

    fn leave_open(&mut self, why: &'static str) -> InputTrouble {
        self.open.get_or_insert(why);
        InputTrouble::Exhausted
    }
}

impl Inputs for Tree {
    fn next(&mut self, _: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        if self.is_known {
            return Err(InputTrouble::Exhausted);
        }
        if shape != InputShape::Bool {
            return Err(self.leave_open("an input has more than two values"));
        }
        if self.at >= MOST_CHOICES || self.seen.len() > MOST_STATES {
            return Err(self.leave_open("there are more states than are looked at"));
        }
        if self.at == self.choices.len() {
            self.choices.push(false);
        }
        self.at += 1;
        Ok(u128::from(self.choices[self.at - 1]))
    }

    fn wants_state(&self) -> bool {
        self.at >= self.repeated
    }

    fn state(&mut self, digest: Option<u128>) {
        match digest {
            Some(digest) => self.is_known |= !self.seen.insert(digest),
            None => {
                self.leave_open("a state cannot be told apart from others");
            }
        }
    }

    fn comes_back(&self) -> bool {
        !self.is_known && self.open.is_none()
    }
}
