//! Components that are checked together end together. As far as the questions tell returns apart, they return values of
//! one kind; where they are about to return different kinds, that is an event of its own. A specification allows it where
//! it allows each of the returns after the same events.

use super::parts::Part;
use base::Id;
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

fn may_differ(part: &Part, here: &Arc<str>, there: &Arc<str>) -> bool {
    let Part::Code(code) = part else { return false };
    code.returns_together
        .iter()
        .any(|(one, other)| one == here && other == there || one == there && other == here)
}

/// All that is possible among these parts.
pub(super) fn disagreements(parts: &[Part]) -> Vec<Disagreement> {
    let mut found = Vec::new();
    let returns = |part: &Part| -> Vec<Arc<str>> {
        match part {
            Part::Code(_) => part.events().into_iter().filter(|name| is_return(name)).collect(),
            Part::Process(_) => Vec::new(),
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
const MOST_SETS: usize = 2000;

/// Pairs of returns that a state, or one that the same events lead to, allows.
fn pairs_by_state(process: &Lks) -> Vec<BTreeSet<(Arc<str>, Arc<str>)>> {
    let mut found = vec![BTreeSet::new(); process.state_count()];
    let alphabet = process.alphabet();
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
    let mut seen = BTreeSet::from([first.clone()]);
    let mut open = vec![first];
    while let Some(set) = open.pop() {
        let mut next: BTreeMap<ActionId, BTreeSet<StateId>> = BTreeMap::new();
        for &state in &set {
            for (action, to) in process.transitions(state).filter(|(action, _)| !action.is_silent()) {
                next.entry(action).or_default().insert(to);
            }
        }
        let returns: Vec<Arc<str>> = next
            .keys()
            .filter(|&&action| is_return(alphabet.name(action)))
            .map(|&action| alphabet.shared_name(action))
            .collect();
        for &state in &set {
            for one in &returns {
                found[state.index()].extend(returns.iter().map(|other| (one.clone(), other.clone())));
            }
        }
        for to in next.into_values().map(closed) {
            if seen.len() < MOST_SETS && seen.insert(to.clone()) {
                open.push(to);
            }
        }
    }
    found
}

/// Pairs of different returns that a process allows after the same events.
pub fn returns_together(process: &Lks) -> Vec<(Arc<str>, Arc<str>)> {
    let all: BTreeSet<(Arc<str>, Arc<str>)> = pairs_by_state(process).into_iter().flatten().collect();
    all.into_iter().filter(|(one, other)| one != other).collect()
}

/// The process with what it allows of returns that differ.
pub(super) fn allowing(process: &Arc<Lks>, all: &[Disagreement]) -> Arc<Lks> {
    if all.is_empty() {
        return process.clone();
    }
    let own = process.alphabet();
    if !own.visible().any(|action| is_return(own.name(action))) {
        // It does not see returns; only what no process of the block allows is forbidden.
        let forbidden = all.iter().filter(|one| !one.is_allowed).map(|one| &*one.name);
        return Arc::new(process.extend_alphabet(forbidden));
    }
    let pairs = pairs_by_state(process);
    let mut builder = LksBuilder::with_names(process.name(), process.alphabet(), process.propositions());
    let events: Vec<ActionId> = all.iter().map(|one| builder.action(&one.name)).collect();
    for state in process.states() {
        builder.state();
        builder.mark(state, process.mark(state));
    }
    let end = builder.state();
    for state in process.states() {
        process.transitions(state).for_each(|(action, to)| builder.transition(state, action, to));
        for (one, &event) in all.iter().zip(&events) {
            let [(_, here), (_, there)] = &one.sides;
            if pairs[state.index()].contains(&(here.clone(), there.clone())) {
                builder.transition(state, event, end);
            }
        }
    }
    process.initial().iter().for_each(|&state| builder.initial(state));
    Arc::new(builder.build())
}
