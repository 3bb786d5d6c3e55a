//! Finds places that hold exactly one token together, and makes them the control.
//!
//! Nets made from programs keep the shared state in such places (`s0 s1 s2 …`). As control, a marking says
//! where the one token is, and the engines never look at markings with two of them or none. Groups are
//! guessed from names (the same letters, then a number) and taken only if they are proved: one token at the
//! start, and every step keeps it one.

use super::marking::Marking;
use super::simulate::{self, Firing, Run, State};
use super::system::{
    Arc, Broadcast, ControlId, Effect, Initial, InitialCount, Move, PlaceId, System, Target, TargetId,
    Transition, TransitionId,
};
use super::witness::Witness;
use crate::refusal::NotARun;
use base::{Id, IndexVec};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A system with its control taken out of the places.
pub struct Extracted {
    /// The system to decide instead.
    pub system: System,
    origins: IndexVec<TransitionId, TransitionId>,
    target_origins: IndexVec<TargetId, TargetId>,
    old_places: IndexVec<PlaceId, PlaceId>,
    control_places: IndexVec<ControlId, PlaceId>,
}

/// Steps that do not care about the control are copied for each; no more than this in all.
const MOST_TRANSITIONS: usize = 200_000;

/// What a step does with the one token.
enum OnControl {
    Untouched,
    Moves(PlaceId, PlaceId),
    Never,
}

/// The largest provable group as control; `None` if there is none, or if the system has a control already.
pub fn extract(system: &System) -> Option<Extracted> {
    if system.controls.len() != 1 {
        return None;
    }
    let mut groups: BTreeMap<&str, Vec<PlaceId>> = BTreeMap::new();
    for (place, name) in system.places.iter_enumerated() {
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
        groups.entry(letters).or_default().push(place);
    }
    let mut groups: Vec<Vec<PlaceId>> = groups.into_values().filter(|group| group.len() > 1).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    groups.iter().find_map(|group| with_control(system, group))
}

fn with_control(system: &System, group: &[PlaceId]) -> Option<Extracted> {
    let controls: FxHashMap<PlaceId, ControlId> =
        group.iter().enumerate().map(|(at, place)| (*place, ControlId::from_index(at))).collect();
    let mut first = None;
    for (place, count) in system.initial.counts.iter().filter(|(place, _)| controls.contains_key(place)) {
        match count {
            InitialCount::Exactly(0) => {}
            InitialCount::Exactly(1) if first.is_none() => first = Some(controls[place]),
            _ => return None,
        }
    }
    let first = first?;
    let mut effects = Vec::new();
    let mut size = 0;
    for (id, transition) in system.transitions.iter_enumerated() {
        let on_control = on_control(transition, &controls)?;
        size += if matches!(on_control, OnControl::Untouched) { group.len() } else { 1 };
        effects.push((id, on_control));
    }
    if size > MOST_TRANSITIONS {
        return None;
    }
    let old_places: IndexVec<PlaceId, PlaceId> =
        system.places.ids().filter(|place| !controls.contains_key(place)).collect();
    let new_places: FxHashMap<PlaceId, PlaceId> =
        old_places.iter_enumerated().map(|(new, old)| (*old, new)).collect();
    let mut origins = IndexVec::new();
    let mut transitions = IndexVec::new();
    for (id, on_control) in effects {
        let ways: Vec<(ControlId, ControlId)> = match on_control {
            OnControl::Never => continue,
            OnControl::Moves(from, to) => vec![(controls[&from], controls[&to])],
            OnControl::Untouched => (0..group.len()).map(ControlId::from_index).map(|at| (at, at)).collect(),
        };
        for (from, to) in ways {
            transitions.push(rebased(&system.transitions[id], from, to, &new_places));
            origins.push(id);
        }
    }
    let mut targets = IndexVec::new();
    let mut target_origins = IndexVec::new();
    for (id, target) in system.targets.iter_enumerated() {
        for (place, control) in group.iter().map(|place| (place, controls[place])) {
            if let Some(target) = target_in(target, *place, control, &controls, &new_places) {
                targets.push(target);
                target_origins.push(id);
            }
        }
    }
    let counts =
        system.initial.counts.iter().filter_map(|(place, count)| Some((*new_places.get(place)?, *count)));
    let system = System {
        controls: group.iter().map(|place| system.places[*place].clone()).collect(),
        places: old_places.iter().map(|place| system.places[*place].clone()).collect(),
        transitions,
        initial: Initial { control: first, counts: counts.collect() },
        targets,
        token: system.token,
    };
    Some(Extracted {
        system,
        origins,
        target_origins,
        old_places,
        control_places: group.iter().copied().collect(),
    })
}

/// `None` if the step does not keep the number of tokens in the group at one.
fn on_control(transition: &Transition, controls: &FxHashMap<PlaceId, ControlId>) -> Option<OnControl> {
    // Tokens needed and changed, by place of the group.
    let mut touched: BTreeMap<PlaceId, (u32, i64)> = BTreeMap::new();
    match &transition.effect {
        Effect::Plain(arcs) => {
            for arc in arcs.iter().filter(|arc| controls.contains_key(&arc.place)) {
                touched.insert(arc.place, (arc.needs, arc.change));
            }
        }
        Effect::Broadcast(broadcast) => {
            let moved = |moved: &Move| {
                controls.contains_key(&moved.from)
                    || moved.choices.iter().flatten().any(|(place, _)| controls.contains_key(place))
            };
            if broadcast.moves.iter().any(moved) {
                return None;
            }
            for (place, count) in broadcast.needs.iter().filter(|(place, _)| controls.contains_key(place)) {
                touched.entry(*place).or_insert((0, 0)).0 = *count;
            }
            for (place, count) in broadcast.take.iter().filter(|(place, _)| controls.contains_key(place)) {
                touched.entry(*place).or_insert((0, 0)).1 -= i64::from(*count);
            }
            for (place, change) in broadcast.add.iter().filter(|(place, _)| controls.contains_key(place)) {
                touched.entry(*place).or_insert((0, 0)).1 += change;
            }
            for (needs, change) in touched.values_mut() {
                *needs = (*needs).max(u32::try_from(-*change).unwrap_or(0));
            }
        }
    }
    if transition.at_most.iter().any(|(place, _)| controls.contains_key(place)) {
        return None;
    }
    if touched.values().map(|(needs, _)| *needs).sum::<u32>() > 1 {
        return Some(OnControl::Never); // there is one token only
    }
    let from = touched.iter().find(|(_, (needs, _))| *needs == 1).map(|(place, _)| *place);
    let changes: Vec<(PlaceId, i64)> = touched
        .iter()
        .filter(|(_, (_, change))| *change != 0)
        .map(|(place, (_, change))| (*place, *change))
        .collect();
    match (from, changes.as_slice()) {
        (None, []) => Some(OnControl::Untouched),
        (Some(from), []) => Some(OnControl::Moves(from, from)),
        (Some(from), [(a, x), (b, y)]) => match (*x, *y) {
            (-1, 1) if *a == from => Some(OnControl::Moves(from, *b)),
            (1, -1) if *b == from => Some(OnControl::Moves(from, *a)),
            _ => None,
        },
        _ => None,
    }
}

fn rebased(
    transition: &Transition,
    from: ControlId,
    to: ControlId,
    places: &FxHashMap<PlaceId, PlaceId>,
) -> Transition {
    let pairs = |list: &[(PlaceId, u32)]| -> Vec<(PlaceId, u32)> {
        list.iter().filter_map(|(place, count)| Some((*places.get(place)?, *count))).collect()
    };
    let effect = match &transition.effect {
        Effect::Plain(arcs) => {
            let kept = arcs.iter().filter_map(|arc| Some(Arc { place: *places.get(&arc.place)?, ..*arc }));
            Effect::Plain(kept.collect())
        }
        Effect::Broadcast(broadcast) => Effect::Broadcast(Broadcast {
            needs: pairs(&broadcast.needs),
            take: pairs(&broadcast.take),
            moves: broadcast
                .moves
                .iter()
                .map(|moved| Move {
                    from: places[&moved.from],
                    choices: moved.choices.iter().map(|choice| pairs(choice)).collect(),
                })
                .collect(),
            add: broadcast.add.iter().filter_map(|(place, n)| Some((*places.get(place)?, *n))).collect(),
        }),
    };
    Transition { from, to, at_most: pairs(&transition.at_most), effect, name: transition.name.clone() }
}

/// The target with the one token on `place`; `None` if it cannot be met then.
fn target_in(
    target: &Target,
    place: PlaceId,
    control: ControlId,
    controls: &FxHashMap<PlaceId, ControlId>,
    places: &FxHashMap<PlaceId, PlaceId>,
) -> Option<Target> {
    let is_control = |known: &PlaceId| controls.contains_key(known);
    let needs = |(known, count): &(PlaceId, u32)| is_control(known) && (*known != place || *count > 1);
    let forbids = |(known, limit): &(PlaceId, u32)| *known == place && *limit == 0;
    if target.at_least.iter().any(needs) || target.at_most.iter().any(forbids) {
        return None;
    }
    let pairs = |list: &[(PlaceId, u32)]| -> Vec<(PlaceId, u32)> {
        list.iter().filter_map(|(place, count)| Some((*places.get(place)?, *count))).collect()
    };
    Some(Target { control, at_least: pairs(&target.at_least), at_most: pairs(&target.at_most) })
}

impl Extracted {
    /// The witness as one of the original system, replayed there.
    pub fn in_original(&self, original: &System, witness: &Witness) -> Result<Witness, NotARun> {
        let old = |place: &PlaceId| self.old_places[*place];
        let mut start = State { control: ControlId::from_index(0), tokens: BTreeMap::new() };
        start.tokens.extend(witness.run.start.tokens.iter().map(|(place, count)| (old(place), *count)));
        start.tokens.insert(self.control_places[witness.run.start.control], 1);
        let firings = witness.run.firings.iter().map(|firing| Firing {
            transition: self.origins[firing.transition],
            choices: firing.choices.iter().map(|(place, choice, n)| (old(place), *choice, *n)).collect(),
        });
        let run = Run { start, firings: firings.collect() };
        let states = simulate::replay(original, &run)?;
        let target = self.target_origins[witness.target];
        if !simulate::meets(original, states.last().expect("a run has a first state"), target) {
            let end = Marking::of_target(&original.targets[target]).describe(original);
            return Err(format!("the run does not end at {end}").into());
        }
        Ok(Witness { run, states, target })
    }
}
