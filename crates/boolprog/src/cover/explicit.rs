//! Explicit search: every state reachable from a start with so many tokens, then from one with one token
//! more. The naive twin of the other engines, and the only one that takes upper limits as they stand. It
//! proves only systems with finitely many reachable states, and finds every violation if it is given long
//! enough.

use super::outcome::{Limits, Meter, Stopped};
use super::simulate::{self, Firing, Run, State};
use super::system::{ControlId, Effect, InitialCount, PlaceId, System, TransitionId};
use super::witness::Witness;
use base::IndexVec;
use indexmap::IndexMap;
use question::Decided;
use rustc_hash::FxBuildHasher;

/// The result with its figures.
#[derive(Debug)]
pub struct Exploration {
    /// All reachable states were seen and none meets a target; or a replayed run into one; or the limit that
    /// was reached.
    pub found: Result<Decided<(), Box<Witness>>, Stopped>,
    /// States seen in the last round.
    pub states: u64,
    /// Starts with up to so many tokens reach no target, if any number was completed.
    pub safe_up_to: Option<u64>,
}

/// Explores with more and more tokens, as far as the limits go.
pub fn check(system: &System, limits: Limits<'_>) -> Exploration {
    let mut meter = Meter::new(limits);
    let mut safe_up_to = None;
    let mut leaving: IndexVec<ControlId, Vec<TransitionId>> =
        IndexVec::filled(Vec::new(), system.controls.len());
    for (id, transition) in system.transitions.iter_enumerated() {
        leaving[transition.from].push(id);
    }
    for extra in 0.. {
        let starts = starts_with(system, extra);
        let tokens = starts.first().map_or(0, State::size);
        let mut states = 0;
        match explore(system, &leaving, starts, &mut meter, &mut states) {
            Ok(None) if system.starts_unbounded() => safe_up_to = Some(tokens),
            found => {
                let found = found.map(|witness| Decided::by(witness.map(Box::new)));
                return Exploration { found, states, safe_up_to };
            }
        }
    }
    unreachable!("the loop above has no end but the returns in it")
}

/// The starts with this many tokens more than the least one.
fn starts_with(system: &System, extra: u64) -> Vec<State> {
    let mut starts = vec![(State { control: system.initial.control, tokens: Default::default() }, extra)];
    for (place, count) in &system.initial.counts {
        let mut next = Vec::new();
        for (state, left) in starts {
            let (least, most) = match count {
                InitialCount::Exactly(count) => (u64::from(*count), u64::from(*count)),
                InitialCount::AtLeast(count) => (u64::from(*count), u64::from(*count) + left),
            };
            for count in least..=most {
                let mut state = state.clone();
                if count > 0 {
                    state.tokens.insert(*place, count);
                }
                next.push((state, left - (count - least)));
            }
        }
        starts = next;
    }
    starts.into_iter().filter(|(_, left)| *left == 0).map(|(state, _)| state).collect()
}

type ReachedStates = IndexMap<State, Option<(usize, Firing)>, FxBuildHasher>;

fn explore(
    system: &System,
    leaving: &IndexVec<ControlId, Vec<TransitionId>>,
    starts: Vec<State>,
    meter: &mut Meter<'_>,
    states: &mut u64,
) -> Result<Option<Witness>, Stopped> {
    let mut seen = ReachedStates::default();
    seen.extend(starts.into_iter().map(|state| (state, None)));
    let mut at = 0;
    while at < seen.len() {
        meter.step()?;
        *states = seen.len() as u64;
        let state = seen.get_index(at).expect("within the length").0.clone();
        for target in system.targets.ids() {
            if simulate::meets(system, &state, target) {
                let run = run_to(&seen, at);
                let states = simulate::replay(system, &run).expect("steps of the simulator itself");
                return Ok(Some(Witness { run, states, target }));
            }
        }
        for transition in &leaving[state.control] {
            for firing in firings(system, &state, *transition) {
                if let Ok(next) = simulate::fire(system, &state, &firing) {
                    seen.entry(next).or_insert_with(|| Some((at, firing)));
                }
            }
        }
        at += 1;
    }
    *states = seen.len() as u64;
    Ok(None)
}

/// All ways to fire a transition, over all choices of moving tokens.
fn firings(system: &System, state: &State, transition: TransitionId) -> Vec<Firing> {
    let mut found = vec![Firing { transition, choices: Vec::new() }];
    let Effect::Broadcast(broadcast) = &system.transitions[transition].effect else { return found };
    for moved in broadcast.moves.iter().filter(|moved| moved.choices.len() > 1) {
        let taken =
            |(place, count): &(PlaceId, u32)| if *place == moved.from { u64::from(*count) } else { 0 };
        let taken: u64 = broadcast.take.iter().map(taken).sum();
        let Some(count) = state.count(moved.from).checked_sub(taken).filter(|count| *count > 0) else {
            continue;
        };
        let mut next = Vec::new();
        for firing in found {
            splits(count, moved.choices.len(), &mut Vec::new(), &mut |split| {
                let mut firing = firing.clone();
                firing.choices.extend(split.iter().enumerate().map(|(choice, n)| (moved.from, choice, *n)));
                next.push(firing);
            });
        }
        found = next;
    }
    found
}

fn splits(count: u64, parts: usize, prefix: &mut Vec<u64>, visit: &mut impl FnMut(&[u64])) {
    if parts == 1 {
        prefix.push(count);
        visit(prefix);
        prefix.pop();
        return;
    }
    for first in 0..=count {
        prefix.push(first);
        splits(count - first, parts - 1, prefix, visit);
        prefix.pop();
    }
}

fn run_to(seen: &ReachedStates, last: usize) -> Run {
    let mut firings = Vec::new();
    let mut at = last;
    loop {
        let (state, came) = seen.get_index(at).expect("within the length");
        match came {
            Some((before, firing)) => {
                firings.push(firing.clone());
                at = *before;
            }
            None => {
                firings.reverse();
                return Run { start: state.clone(), firings };
            }
        }
    }
}
