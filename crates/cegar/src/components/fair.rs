//! Fairness of components and events: which infinite runs of the system count (SELTL's future work; Lamport 1977,
//! Manna and Pnueli 1992). Weak fairness: what is possible from some point on without end is done again and again.
//! Strong fairness: what is possible again and again is done again and again. A component is done justice by any step
//! that it takes part in. Finite runs always count.
//!
//! WHY this is sound on abstractions: a run is only left out if the abstraction says that something was possible.
//! What decides whether a step is possible is a predicate where the step begins (`parts`: refusals), so the
//! abstraction says so only where it is true.

use super::parts::SystemPart;
use check::temporal::Fairness;
use lks::{ActionId, Lks, LksBuilder};
use std::sync::Arc;

/// To whom, or to what, runs are fair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FairTo {
    /// A component, by name; copies of one procedure each on their own.
    Component(Arc<str>),
    /// One of these events.
    Events(Vec<Arc<str>>),
}

/// Which infinite runs count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemFairness {
    /// Weakly fair to each of these.
    pub weak: Vec<FairTo>,
    /// Strongly fair to each of these.
    pub strong: Vec<FairTo>,
}

/// Begins the name of what a part does alone; no event has such a name.
const SILENCE: &str = "silent step of ";

/// Is this the name of what a part does alone?
pub(super) fn is_silence(name: &str) -> bool {
    name.starts_with(SILENCE)
}

fn silence(part: usize, name: &str) -> String {
    format!("{SILENCE}{part} {name}")
}

impl SystemFairness {
    /// Does every run count?
    pub fn is_none(&self) -> bool {
        self.weak.is_empty() && self.strong.is_empty()
    }

    fn is_to_components(&self) -> bool {
        self.weak.iter().chain(&self.strong).any(|to| matches!(to, FairTo::Component(_)))
    }

    /// The part with a name for what it does alone, if somebody asks who does what.
    pub(super) fn with_silence_named(&self, lks: Arc<Lks>, part: usize) -> Arc<Lks> {
        if !self.is_to_components() {
            return lks;
        }
        let mut builder = LksBuilder::with_names(lks.name(), lks.alphabet(), lks.propositions());
        let own = builder.action(&silence(part, lks.name()));
        for state in lks.states() {
            builder.state();
            builder.mark(state, lks.mark(state));
            for proposition in lks.propositions().ids().filter(|&one| lks.holds(state, one)) {
                builder.label(state, proposition);
            }
        }
        for state in lks.states() {
            for (action, to) in lks.transitions(state) {
                let action = if action == ActionId::TAU { own } else { action };
                builder.transition(state, action, to);
            }
        }
        lks.initial().iter().for_each(|&state| builder.initial(state));
        Arc::new(builder.build())
    }

    /// The constraints as sets of actions of the composition.
    pub(super) fn of_actions(&self, parts: &[SystemPart], composed: &[Arc<Lks>]) -> Fairness {
        let sets = |all: &[FairTo]| -> Vec<Vec<String>> {
            all.iter().flat_map(|to| sets_of(to, parts, composed)).collect()
        };
        Fairness { weak: sets(&self.weak), strong: sets(&self.strong), choice: false }
    }

    /// Events that no part makes, in words.
    pub(super) fn unknown_events(&self, parts: &[SystemPart]) -> Vec<String> {
        let known: Vec<Arc<str>> = parts.iter().flat_map(SystemPart::events).collect();
        let events = self.weak.iter().chain(&self.strong).flat_map(|to| match to {
            FairTo::Events(events) => events.as_slice(),
            FairTo::Component(_) => &[],
        });
        let unknown = events.filter(|event| !known.contains(event));
        unknown
            .map(|event| {
                format!("`{event}` is neither a component nor an event: fairness to it changes nothing")
            })
            .collect()
    }

    /// What is assumed, in words.
    pub(super) fn in_words(&self) -> Vec<String> {
        let words = |kind: &str, to: &FairTo| match to {
            FairTo::Component(name) => format!("infinite runs are {kind} fair to the component `{name}`"),
            FairTo::Events(events) => {
                let names: Vec<String> = events.iter().map(|name| format!("`{name}`")).collect();
                format!("infinite runs are {kind} fair to {}", names.join(" or "))
            }
        };
        let weak = self.weak.iter().map(|to| words("weakly", to));
        weak.chain(self.strong.iter().map(|to| words("strongly", to))).collect()
    }
}

fn sets_of(to: &FairTo, parts: &[SystemPart], composed: &[Arc<Lks>]) -> Vec<Vec<String>> {
    match to {
        FairTo::Events(events) => vec![events.iter().map(|name| name.to_string()).collect()],
        FairTo::Component(name) => {
            let is_meant = |part: &SystemPart| {
                let own = part.name();
                *own == **name || own.split_once('#').is_some_and(|(base, _)| *base == **name)
            };
            let meant = parts.iter().zip(composed).filter(|(part, _)| is_meant(part));
            let actions = |lks: &Arc<Lks>| -> Vec<String> {
                lks.alphabet().visible().map(|action| lks.alphabet().name(action).to_owned()).collect()
            };
            meant.map(|(_, lks)| actions(lks)).collect()
        }
    }
}
