//! Trace containment as a safety question, so that every safety engine can answer it.

use base::{Budget, Exhausted};
use lks::{Component, Composition, Lks, Role};
use std::sync::Arc;

/// The system watched by the specification: ERROR is reachable iff the system has a trace that the specification has
/// not. Actions of the system that the specification does not know are forbidden. The subset construction of the
/// specification is built, hence the budget.
pub fn watched(system: &Composition, specification: &Lks, budget: &Budget) -> Result<Composition, Exhausted> {
    use lks::Successors;
    let watcher = specification.complement(system.alphabet(), budget)?;
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
