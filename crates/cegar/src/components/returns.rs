//! Components that are checked together end together. As far as the questions tell returns apart, they return values of
//! one kind; where they are about to return different kinds, that is an event of its own, which no specification allows.

use super::parts::Part;
use lks::{ActionId, Lks, LksBuilder};
use std::sync::Arc;

/// Two components return values of different kinds.
#[derive(Clone, Debug)]
pub(super) struct Disagreement {
    /// The event.
    pub name: Arc<str>,
    /// Who returns what.
    sides: [(usize, Arc<str>); 2],
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
                    let sides = [(first, here.clone()), (second, there)];
                    found.push(Disagreement { name: Arc::from(name), sides });
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
