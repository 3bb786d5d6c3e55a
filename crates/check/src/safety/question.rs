//! The questions about reachable states, and how their counterexamples are shown.

use crate::view::{Viewed, state_name};
use base::Id;
use lks::{ActionId, Composition, Role, StateMark, Successors, SystemState};
use question::{Asks, Counterexample};
use verdict::{Deadlock, Refusal};

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SafetyQuestion {
    /// A state that cannot go on and is not the intended end of all processes.
    Deadlock,
    /// A state in which a component is in ERROR: a property is violated.
    Error,
    /// Either; LTSA's "safety".
    DeadlockOrError,
}

impl SafetyQuestion {
    /// What is looked for when this is asked; none if that is not a matter of single states.
    pub fn of(asks: &Asks) -> Option<SafetyQuestion> {
        match asks {
            Asks::NoDeadlock => Some(SafetyQuestion::Deadlock),
            Asks::NoError => Some(SafetyQuestion::Error),
            Asks::NoErrorOrDeadlock => Some(SafetyQuestion::DeadlockOrError),
            _ => None,
        }
    }

    /// Is a state with this mark, and with or without a next step, what is looked for?
    pub fn is_bad(self, mark: StateMark, can_go_on: bool) -> bool {
        match mark {
            StateMark::Error => self.asks_for_error(),
            StateMark::Plain => self.asks_for_deadlock() && !can_go_on,
            StateMark::End => false,
        }
    }

    /// Is ERROR looked for?
    pub fn asks_for_error(self) -> bool {
        matches!(self, SafetyQuestion::Error | SafetyQuestion::DeadlockOrError)
    }

    /// Is deadlock looked for?
    pub fn asks_for_deadlock(self) -> bool {
        matches!(self, SafetyQuestion::Deadlock | SafetyQuestion::DeadlockOrError)
    }
}

/// A run into a bad state, as evidence.
pub(crate) fn counterexample(
    system: &Composition,
    start: &SystemState,
    steps: &[(ActionId, SystemState)],
) -> Counterexample {
    let last = steps.last().map_or(start, |(_, state)| state);
    if Successors::mark(system, last) == StateMark::Error {
        let violated: Vec<String> = system
            .components()
            .iter_enumerated()
            .filter(|(id, part)| part.lks.mark(system.component_state(last, *id)) == StateMark::Error)
            .map(|(_, part)| match part.role {
                Role::Watcher => format!("property `{}` is violated", part.name),
                Role::Process => format!("`{}` is in ERROR", part.name),
            })
            .collect();
        return Counterexample::Path(system.view_path(start, steps, violated.join(", ")));
    }
    let path = system.view_path(start, steps, "nothing can move here");
    Counterexample::Deadlock(Deadlock { path, refusals: refusals(system, last) })
}

/// What each component refuses, and what it waits for, in a state.
pub(crate) fn refusals(system: &Composition, state: &SystemState) -> Vec<Refusal> {
    let locals = system.component_states(state);
    system
        .components()
        .iter_enumerated()
        .map(|(id, part)| {
            let local = locals[id.index()];
            let names = |offered: bool| {
                let mut names: Vec<String> = part
                    .lks
                    .alphabet()
                    .visible()
                    .filter(|action| part.lks.offers(local, *action) == offered)
                    .map(|action| part.lks.alphabet().name(action).to_owned())
                    .collect();
                names.sort_unstable();
                names
            };
            Refusal {
                component: part.name.to_string(),
                state: state_name(&part.lks, local),
                refuses: names(false),
                waits_for: names(true),
                terminated: part.lks.mark(local) == StateMark::End,
            }
        })
        .collect()
}
