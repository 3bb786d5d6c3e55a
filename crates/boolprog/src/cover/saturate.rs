//! Which places can hold tokens in which control, ignoring numbers: a quick over-approximation from the
//! front. Backward engines drop every marking with a place that can never be marked there (BFC's use of
//! forward knowledge, in its cheapest form).

use super::marking::Marking;
use super::system::{ControlId, Effect, PlaceId, System, TransitionId};
use base::{Id, IndexVec};

/// The places that may be marked, by control; `None` for controls that cannot be reached.
#[derive(Clone, Debug)]
pub struct Saturation {
    marked: IndexVec<ControlId, Option<Vec<u64>>>,
}

fn has(set: &[u64], place: PlaceId) -> bool {
    set[place.index() / 64] >> (place.index() % 64) & 1 == 1
}

fn add(set: &mut [u64], place: PlaceId) {
    set[place.index() / 64] |= 1 << (place.index() % 64);
}

impl Saturation {
    /// Computes the least fixpoint.
    pub fn new(system: &System) -> Saturation {
        let words = system.places.len().div_ceil(64);
        let mut leaving: IndexVec<ControlId, Vec<TransitionId>> =
            IndexVec::filled(Vec::new(), system.controls.len());
        for (id, transition) in system.transitions.iter_enumerated() {
            leaving[transition.from].push(id);
        }
        let mut marked: IndexVec<ControlId, Option<Vec<u64>>> = IndexVec::filled(None, system.controls.len());
        let mut first = vec![0; words];
        Marking::initial(system).tokens().iter().for_each(|(place, _)| add(&mut first, *place));
        marked[system.initial.control] = Some(first);
        let mut waiting = vec![system.initial.control];
        while let Some(control) = waiting.pop() {
            let mut again = false;
            for id in &leaving[control] {
                let transition = &system.transitions[*id];
                let from = marked[control].as_ref().expect("only reached controls wait");
                let Some(after) = image(&transition.effect, from) else { continue };
                let known = &mut marked[transition.to];
                let grown = match known {
                    None => true,
                    Some(known) => after.iter().zip(known.iter()).any(|(new, old)| new & !old != 0),
                };
                if !grown {
                    continue;
                }
                let known = known.get_or_insert_with(|| vec![0; words]);
                known.iter_mut().zip(&after).for_each(|(old, new)| *old |= new);
                if transition.to == control {
                    again = true;
                } else if !waiting.contains(&transition.to) {
                    waiting.push(transition.to);
                }
            }
            if again && !waiting.contains(&control) {
                waiting.push(control);
            }
        }
        Saturation { marked }
    }

    /// Can the control be reached, as far as this tells?
    pub fn is_reached(&self, control: ControlId) -> bool {
        self.marked[control].is_some()
    }

    /// Can the place hold tokens in the control, as far as this tells?
    pub fn may_be_marked(&self, control: ControlId, place: PlaceId) -> bool {
        self.marked[control].as_ref().is_some_and(|set| has(set, place))
    }

    /// Can no reachable state be above this marking?
    pub fn excludes(&self, marking: &Marking) -> bool {
        match &self.marked[marking.control] {
            None => true,
            Some(set) => marking.tokens().iter().any(|(place, _)| !has(set, *place)),
        }
    }
}

fn image(effect: &Effect, from: &[u64]) -> Option<Vec<u64>> {
    let mut after = from.to_vec();
    match effect {
        Effect::Plain(arcs) => {
            if arcs.iter().any(|arc| arc.needs > 0 && !has(from, arc.place)) {
                return None;
            }
            arcs.iter().filter(|arc| arc.change > 0).for_each(|arc| add(&mut after, arc.place));
        }
        Effect::Broadcast(broadcast) => {
            if broadcast.needs.iter().any(|(place, _)| !has(from, *place)) {
                return None;
            }
            for moved in &broadcast.moves {
                after[moved.from.index() / 64] &= !(1 << (moved.from.index() % 64));
            }
            for moved in broadcast.moves.iter().filter(|moved| has(from, moved.from)) {
                moved.choices.iter().flatten().for_each(|(place, _)| add(&mut after, *place));
            }
            broadcast.add.iter().filter(|(_, n)| *n > 0).for_each(|(place, _)| add(&mut after, *place));
        }
    }
    Some(after)
}
