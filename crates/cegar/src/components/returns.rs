//! Components that are checked together end together. As far as the questions tell returns apart, they return
//! values of one kind; where they are about to return different kinds, that is an event of its own. A
//! specification allows it where it allows each of the returns after the same events.

use super::parts::SystemPart;
use lks::{ActionId, Lks, LksBuilder, StateId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Two components return values of different kinds.
#[derive(Clone, Debug)]
pub(super) struct Disagreement {
    /// The event.
    pub name: Arc<str>,
    /// Who returns what.
    sides: [(usize, Arc<str>); 2],
    /// Does a process that is asked about allow both returns after the same events?
    pub is_allowed: bool,
}

impl Disagreement {
    /// What a part returns there; none if it may be anything.
    pub fn returned_by(&self, part: usize) -> Option<&Arc<str>> {
        self.sides.iter().find(|(index, _)| *index == part).map(|(_, event)| event)
    }
}

/// Is this the event of a return?
pub(super) fn is_return(name: &str) -> bool {
    name == "return" || name.starts_with("return {")
}

fn may_differ(part: &SystemPart, here: &Arc<str>, there: &Arc<str>) -> bool {
    let SystemPart::Code(code) = part else { return false };
    code.returns_together
        .iter()
        .any(|(one, other)| one == here && other == there || one == there && other == here)
}

/// All that is possible among these parts.
pub(super) fn disagreements(parts: &[SystemPart]) -> Vec<Disagreement> {
    let mut found = Vec::new();
    let returns = |part: &SystemPart| -> Vec<Arc<str>> {
        match part {
            SystemPart::Code(_) => part.events().into_iter().filter(|name| is_return(name)).collect(),
            SystemPart::Process(_) => Vec::new(),
        }
    };
    for (first, one) in parts.iter().enumerate() {
        for (second, other) in parts.iter().enumerate().skip(first + 1) {
            for here in returns(one) {
                for there in returns(other).into_iter().filter(|there| *there != here) {
                    let name = format!("{}: {here}, {}: {there}", one.name(), other.name());
                    let is_allowed = may_differ(one, &here, &there) || may_differ(other, &here, &there);
                    let sides = [(first, here.clone()), (second, there)];
                    found.push(Disagreement { name: Arc::from(name), sides, is_allowed });
                }
            }
        }
    }
    found
}

/// The part that also returns where others return something else.
pub(super) fn with_disagreements(lks: &Arc<Lks>, part: usize, all: &[Disagreement]) -> Arc<Lks> {
    if all.is_empty() {
        return lks.clone();
    }
    let mut builder = LksBuilder::with_names(lks.name(), lks.alphabet(), lks.propositions());
    let events: Vec<ActionId> = all.iter().map(|one| builder.action(&one.name)).collect();
    for state in lks.states() {
        builder.state();
        builder.mark(state, lks.mark(state));
        for proposition in lks.propositions().ids().filter(|&one| lks.holds(state, one)) {
            builder.label(state, proposition);
        }
    }
    for state in lks.states() {
        for (action, to) in lks.transitions(state) {
            builder.transition(state, action, to);
            let name = lks.alphabet().name(action);
            if action.is_silent() || !is_return(name) {
                continue;
            }
            for (one, &event) in all.iter().zip(&events) {
                if one.returned_by(part).is_none_or(|own| **own == *name) {
                    builder.transition(state, event, to);
                }
            }
        }
    }
    lks.initial().iter().for_each(|&state| builder.initial(state));
    Arc::new(builder.build())
}

/// More sets of states than this are not looked at.
pub(super) const MOST_SETS: usize = 2000;

/// What a process may have come to, by the events that were seen: the subset construction.
struct Histories {
    /// The states after the same events, silent steps included.
    sets: Vec<BTreeSet<StateId>>,
    /// Which set an event leads to; those of sets that were too many are missing.
    next: Vec<BTreeMap<ActionId, usize>>,
    is_complete: bool,
}

impl Histories {
    fn of(process: &Lks) -> Histories {
        let closed = |states: BTreeSet<StateId>| {
            let mut open: Vec<StateId> = states.iter().copied().collect();
            let mut all = states;
            while let Some(state) = open.pop() {
                for (action, to) in process.transitions(state) {
                    if action.is_silent() && all.insert(to) {
                        open.push(to);
                    }
                }
            }
            all
        };
        let first = closed(process.initial().iter().copied().collect());
        let mut numbers = BTreeMap::from([(first.clone(), 0)]);
        let mut found = Histories { sets: vec![first], next: Vec::new(), is_complete: true };
        while found.next.len() < found.sets.len() {
            let mut next: BTreeMap<ActionId, BTreeSet<StateId>> = BTreeMap::new();
            for &state in &found.sets[found.next.len()] {
                for (action, to) in process.transitions(state).filter(|(action, _)| !action.is_silent()) {
                    next.entry(action).or_default().insert(to);
                }
            }
            let mut own = BTreeMap::new();
            for (action, to) in next {
                let to = closed(to);
                let number = match numbers.get(&to) {
                    Some(&number) => number,
                    None if found.sets.len() < MOST_SETS => {
                        numbers.insert(to.clone(), found.sets.len());
                        found.sets.push(to);
                        found.sets.len() - 1
                    }
                    None => {
                        found.is_complete = false;
                        continue;
                    }
                };
                own.insert(action, number);
            }
            found.next.push(own);
        }
        found
    }

    /// The returns that are allowed after the same events.
    fn returns<'p>(&self, process: &'p Lks, set: usize) -> BTreeSet<&'p str> {
        let alphabet = process.alphabet();
        let all = self.sets[set].iter().flat_map(|&state| process.transitions(state));
        let names = all.filter(|(action, _)| !action.is_silent()).map(|(action, _)| alphabet.name(action));
        names.filter(|name| is_return(name)).collect()
    }
}

/// Pairs of different returns that a process allows after the same events.
pub fn returns_together(process: &Lks) -> Vec<(Arc<str>, Arc<str>)> {
    let histories = Histories::of(process);
    let mut all: BTreeSet<(Arc<str>, Arc<str>)> = BTreeSet::new();
    for set in 0..histories.sets.len() {
        let returns = histories.returns(process, set);
        for &one in &returns {
            let others = returns.iter().filter(|other| **other != one);
            all.extend(others.map(|&other| (Arc::from(one), Arc::from(other))));
        }
    }
    all.into_iter().collect()
}

/// The process with what it allows of returns that differ: both must be allowed after the events that were
/// seen, whichever state they led to. `None` if it has come to too many sets of states to tell.
pub(super) fn allowing(process: &Arc<Lks>, all: &[Disagreement]) -> Option<Arc<Lks>> {
    if all.is_empty() {
        return Some(process.clone());
    }
    let own = process.alphabet();
    if !own.visible().any(|action| is_return(own.name(action))) {
        // It does not see returns; only what no process of the block allows is forbidden.
        let forbidden = all.iter().filter(|one| !one.is_allowed).map(|one| &*one.name);
        return Some(Arc::new(process.extend_alphabet(forbidden)));
    }
    let histories = Histories::of(process);
    if !histories.is_complete {
        return None;
    }
    let mut builder = LksBuilder::with_names(process.name(), process.alphabet(), process.propositions());
    let events: Vec<ActionId> = all.iter().map(|one| builder.action(&one.name)).collect();
    let end = builder.state();
    // A state is one of the process together with what has been seen.
    let mut numbers: BTreeMap<(StateId, usize), StateId> = BTreeMap::new();
    let mut open: Vec<(StateId, usize)> = Vec::new();
    let mut number = |builder: &mut LksBuilder, open: &mut Vec<(StateId, usize)>, (state, set)| {
        *numbers.entry((state, set)).or_insert_with(|| {
            let made = builder.state();
            builder.mark(made, process.mark(state));
            open.push((state, set));
            made
        })
    };
    for &state in process.initial() {
        let start = number(&mut builder, &mut open, (state, 0));
        builder.initial(start);
    }
    while let Some((state, set)) = open.pop() {
        let from = number(&mut builder, &mut open, (state, set));
        for (action, to) in process.transitions(state) {
            let after = if action.is_silent() { set } else { histories.next[set][&action] };
            let to = number(&mut builder, &mut open, (to, after));
            builder.transition(from, action, to);
        }
        let returns = histories.returns(process, set);
        for (one, &event) in all.iter().zip(&events) {
            if one.sides.iter().all(|(_, side)| returns.contains(&**side)) {
                builder.transition(from, event, end);
            }
        }
    }
    Some(Arc::new(builder.build()))
}
