//! An independent simulator: fires transitions one by one on plain numbers, with every guard as it stands.
//! It shares no code with the engines' steps; nothing is called violated before it has agreed.

use super::system::{ControlId, Effect, InitialCount, PlaceId, System, TargetId, TransitionId};
use crate::refusal::NotARun;
use std::collections::BTreeMap;

/// A reached state: control and tokens; places without tokens may be left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// The control.
    pub control: ControlId,
    /// Tokens by place; no zeros.
    pub tokens: BTreeMap<PlaceId, u64>,
}

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firing {
    /// The transition.
    pub transition: TransitionId,
    /// For moves with several choices: how many tokens take which choice. The rest takes the first.
    pub choices: Vec<(PlaceId, usize, u64)>,
}

/// A run from a start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The state it starts in.
    pub start: State,
    /// Its steps.
    pub firings: Vec<Firing>,
}

impl State {
    /// Tokens on a place.
    pub fn count(&self, place: PlaceId) -> u64 {
        self.tokens.get(&place).copied().unwrap_or(0)
    }

    /// All tokens together.
    pub fn size(&self) -> u64 {
        self.tokens.values().sum()
    }
}

/// May the system start in this state?
pub fn is_start(system: &System, state: &State) -> bool {
    let declared = |place: &PlaceId| system.initial.counts.iter().any(|(known, _)| known == place);
    state.control == system.initial.control
        && state.tokens.iter().all(|(place, count)| *count == 0 || declared(place))
        && system.initial.counts.iter().all(|(place, count)| match count {
            InitialCount::Exactly(count) => state.count(*place) == u64::from(*count),
            InitialCount::AtLeast(count) => state.count(*place) >= u64::from(*count),
        })
}

/// Is the state one that the target asks about?
pub fn meets(system: &System, state: &State, target: TargetId) -> bool {
    let target = &system.targets[target];
    state.control == target.control
        && target.at_least.iter().all(|(place, count)| state.count(*place) >= u64::from(*count))
        && target.at_most.iter().all(|(place, count)| state.count(*place) <= u64::from(*count))
}

/// The state after a step, or why it is not possible.
pub fn fire(system: &System, state: &State, firing: &Firing) -> Result<State, NotARun> {
    let transition = &system.transitions[firing.transition];
    let refuse = |why: &str| Err(NotARun::from(format!("`{}` cannot fire: {why}", transition.name)));
    if transition.from != state.control {
        return refuse("the control is another one");
    }
    if transition.at_most.iter().any(|(place, limit)| state.count(*place) > u64::from(*limit)) {
        return refuse("a place has more tokens than the guard allows");
    }
    let mut tokens: BTreeMap<PlaceId, i128> = BTreeMap::new();
    for (place, count) in &state.tokens {
        tokens.insert(*place, i128::from(*count));
    }
    match &transition.effect {
        Effect::Plain(arcs) => {
            for arc in arcs {
                if state.count(arc.place) < u64::from(arc.needs) {
                    return refuse("a place has too few tokens");
                }
                *tokens.entry(arc.place).or_insert(0) += i128::from(arc.change);
            }
        }
        Effect::Broadcast(broadcast) => {
            if broadcast.needs.iter().any(|(place, count)| state.count(*place) < u64::from(*count)) {
                return refuse("a place has too few tokens");
            }
            for (place, count) in &broadcast.take {
                *tokens.entry(*place).or_insert(0) -= i128::from(*count);
            }
            let mut arrivals: Vec<(PlaceId, i128)> = Vec::new();
            for moved in &broadcast.moves {
                let mut left = tokens.remove(&moved.from).unwrap_or(0);
                for (place, choice, number) in &firing.choices {
                    if *place != moved.from {
                        continue;
                    }
                    let Some(becomes) = moved.choices.get(*choice) else {
                        return refuse("the run names a choice that is not there");
                    };
                    left -= i128::from(*number);
                    for (to, each) in becomes {
                        arrivals.push((*to, i128::from(*number) * i128::from(*each)));
                    }
                }
                if left < 0 {
                    return refuse("the run moves more tokens than there are");
                }
                for (to, each) in &moved.choices[0] {
                    arrivals.push((*to, left * i128::from(*each)));
                }
            }
            for (place, count) in arrivals {
                *tokens.entry(place).or_insert(0) += count;
            }
            for (place, change) in &broadcast.add {
                *tokens.entry(*place).or_insert(0) += i128::from(*change);
            }
        }
    }
    let mut after = BTreeMap::new();
    for (place, count) in tokens {
        let Ok(count) = u64::try_from(count) else {
            return refuse("a place would have fewer than no tokens");
        };
        if count > 0 {
            after.insert(place, count);
        }
    }
    Ok(State { control: transition.to, tokens: after })
}

/// The states of a run, the start first; checks that it starts where the system may start.
pub fn replay(system: &System, run: &Run) -> Result<Vec<State>, NotARun> {
    if !is_start(system, &run.start) {
        return Err("the run does not begin in an initial state".into());
    }
    let mut states = vec![run.start.clone()];
    for firing in &run.firings {
        let next = fire(system, states.last().expect("the start"), firing)?;
        states.push(next);
    }
    Ok(states)
}
