//! From a chain of least markings, as backward search finds it, to a run with numbers.

use super::marking::Marking;
use super::simulate::{self, Firing, Run, State};
use super::step;
use super::system::{Effect, InitialCount, System, TargetId, TransitionId};
use crate::refusal::NotARun;

/// Least markings joined by transitions: from anything above `start` the steps lead above the target.
#[derive(Clone, Debug)]
pub struct Chain {
    /// What is needed at the beginning.
    pub start: Marking,
    /// Each transition with what is needed after it.
    pub steps: Vec<(TransitionId, Marking)>,
    /// What the last marking is above of.
    pub target: TargetId,
}

/// A replayed run into a target, with its states.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The run.
    pub run: Run,
    /// Its states, the start first.
    pub states: Vec<State>,
    /// The target the last state meets.
    pub target: TargetId,
}

/// The run a chain stands for, checked by the simulator. Fails only if upper limits stand in the way.
pub fn realise(system: &System, chain: &Chain) -> Result<Witness, NotARun> {
    let mut start = State { control: system.initial.control, tokens: Default::default() };
    for (place, count) in &system.initial.counts {
        let count = match count {
            InitialCount::Exactly(count) => *count,
            InitialCount::AtLeast(count) => (*count).max(chain.start.count(*place)),
        };
        if count > 0 {
            start.tokens.insert(*place, u64::from(count));
        }
    }
    let mut firings = Vec::with_capacity(chain.steps.len());
    let mut current = start.clone();
    for (transition, after) in &chain.steps {
        let mut choices = Vec::new();
        if let Effect::Broadcast(_) = system.transitions[*transition].effect {
            let found = step::predecessors(&system.transitions[*transition], after);
            let covered = |tokens: &Marking| {
                tokens.tokens().iter().all(|(place, count)| current.count(*place) >= u64::from(*count))
            };
            let Some(found) = found.into_iter().find(|found| covered(&found.marking)) else {
                let name = &system.transitions[*transition].name;
                return Err(format!("`{name}` cannot be taken as planned").into());
            };
            choices =
                found.allocation.iter().map(|(place, choice, n)| (*place, *choice, u64::from(*n))).collect();
        }
        let firing = Firing { transition: *transition, choices };
        current = simulate::fire(system, &current, &firing)?;
        firings.push(firing);
    }
    let run = Run { start, firings };
    let states = simulate::replay(system, &run)?;
    let last = states.last().expect("a run has a first state");
    if !simulate::meets(system, last, chain.target) {
        return Err("the last state has more tokens than the target allows".into());
    }
    Ok(Witness { run, states, target: chain.target })
}
