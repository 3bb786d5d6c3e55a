//! Trace containment as a safety question, so that every safety engine can answer it.

use crate::weak_moves::UnknownActions;
use base::{Budget, Exhausted};
use lks::{Alphabet, Component, Composition, Lks, Role, Successors};
use std::sync::Arc;

/// The system watched by the specification: ERROR is reachable iff the system has a trace that the
/// specification has not. The subset construction of the specification is built, hence the budget.
pub fn watched(
    system: &Composition,
    specification: &Lks,
    unknown_actions: UnknownActions,
    budget: &Budget,
) -> Result<Composition, Exhausted> {
    let own = system.alphabet();
    let mut watches = Alphabet::new();
    // What only the specification has never happens; what only the system has is forbidden, or nobody looks.
    for action in own.visible() {
        let is_known = specification.alphabet().find(own.name(action)).is_some();
        if is_known || unknown_actions == UnknownActions::Forbidden {
            watches.intern(own.name(action));
        }
    }
    let watcher = specification.complement(&watches, budget)?;
    let mut components: Vec<Component> = system.components().iter().cloned().collect();
    let name = Arc::from(specification.name());
    components.push(Component { name, lks: Arc::new(watcher), role: Role::Watcher });
    let hidden: Vec<String> = system
        .syncs()
        .skip(1)
        .filter(|sync| system.shown(*sync).is_silent())
        .map(|sync| system.sync_name(sync).to_owned())
        .collect();
    Ok(Composition::new(components).hiding(|name| hidden.iter().any(|other| other == name)))
}

/// Why a specification cannot watch the system, if it cannot.
pub(crate) fn cannot_watch(system: &Composition) -> Option<&'static str> {
    if system.has_priority() {
        return Some("a watcher would take part in the priority");
    }
    let has_errors = system.components().iter().any(|component| !component.lks.error_states().is_empty());
    has_errors.then_some("the system has properties of its own, whose violation is not a trace too many")
}
