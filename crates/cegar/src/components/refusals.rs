//! Deadlock as a question about traces, so that assume-guarantee rules can answer it. AG speaks of safety
//! properties, and a deadlock is not a trace; but what a component refuses can be said in events. Every
//! component gets a copy of each state in which it cannot go on alone, entered by an event that all share
//! (`#stop`: nobody moves any more). In the copy of a state it says, as often as it is asked, each shared
//! event that the state does not offer, and whether it has not ended. The system can deadlock iff it can stop
//! with some component that has not ended and, for every shared event, one that refuses it: that is a
//! sequence of such sayings, which a property can watch for. Both directions are exact: copies have no other
//! steps, and the property forgets nothing. Tested by `every_engine_agrees_on_deadlock` and
//! `random_components`.

use super::witness::{Ending, Witness};
use base::Id;
use lks::{ActionId, Component, Composition, Lks, LksBuilder, Role, StateId, StateMark};
use std::sync::Arc;

/// Nobody moves any more. No C identifier begins like this.
const STOP: &str = "#stop";

fn refuses(component: usize, event: &str) -> String {
    format!("#{component} refuses {event}")
}

fn waits(component: usize) -> String {
    format!("#{component} waits")
}

/// A system in which a property is violated iff the given one can deadlock. No action may be hidden.
pub(super) fn telling_refusals(system: &Composition) -> Composition {
    let mut groups: Vec<Vec<String>> = Vec::new();
    // A component that never ends waits whenever it is stopped: then nothing need be said about it.
    let components = || system.components().iter().enumerate();
    let awaited = || components().filter(|(_, component)| component.role == Role::Process);
    if awaited().all(|(_, component)| !component.lks.end_states().is_empty()) {
        groups.push(awaited().map(|(index, _)| waits(index)).collect());
    }
    for sync in system.syncs().filter(|&sync| system.participants(sync).len() > 1) {
        let by = system.participants(sync).iter();
        let event = system.sync_name(sync);
        groups.push(by.map(|(component, _)| refuses(component.index(), event)).collect());
    }
    let mut telling: Vec<Component> = Vec::new();
    for (id, component) in system.components().iter_enumerated() {
        let is_shared = |action: ActionId| system.participants(system.sync_of(id, action)).len() > 1;
        let lks = Arc::new(told(&component.lks, id.index(), is_shared));
        telling.push(Component { name: component.name.clone(), lks, role: component.role });
    }
    let property = Arc::new(watching_for(&groups));
    telling.push(Component { name: Arc::from(property.name()), lks: property, role: Role::Watcher });
    Composition::new(telling)
}

/// The component with copies of its states in which it tells what they refuse.
fn told(lks: &Lks, index: usize, is_shared: impl Fn(ActionId) -> bool) -> Lks {
    let mut builder = LksBuilder::with_names(lks.name(), lks.alphabet(), lks.propositions());
    let count = lks.state_count();
    builder.ensure_states(2 * count);
    lks.initial().iter().for_each(|&state| builder.initial(state));
    let stop = builder.action(STOP);
    let waits = builder.action(&waits(index));
    let mut refusals: Vec<(ActionId, ActionId)> = Vec::new();
    for action in lks.alphabet().visible().filter(|&action| is_shared(action)) {
        refusals.push((action, builder.action(&refuses(index, lks.alphabet().name(action)))));
    }
    for state in lks.states() {
        let copy = StateId::from_index(count + state.index());
        lks.transitions(state).for_each(|(action, to)| builder.transition(state, action, to));
        // What it can do alone it does not refuse.
        if lks.actions(state).iter().any(|&action| !is_shared(action)) {
            continue;
        }
        builder.transition(state, stop, copy);
        if lks.mark(state) != StateMark::End {
            builder.transition(copy, waits, copy);
        }
        for &(_, refusal) in refusals.iter().filter(|(action, _)| !lks.offers(state, *action)) {
            builder.transition(copy, refusal, copy);
        }
    }
    builder.build()
}

/// Violated when all have stopped and one saying of each group was heard, in this order.
fn watching_for(sayings: &[Vec<String>]) -> Lks {
    let groups: Vec<Vec<String>> =
        [vec![STOP.to_owned()]].into_iter().chain(sayings.iter().cloned()).collect();
    let mut builder = LksBuilder::new("no deadlock");
    builder.ensure_states(groups.len() + 1);
    let actions: Vec<Vec<ActionId>> =
        groups.iter().map(|group| group.iter().map(|name| builder.action(name)).collect()).collect();
    let state = StateId::from_index;
    builder.initial(state(0));
    builder.mark(state(groups.len()), StateMark::Error);
    for wanted in 0..groups.len() {
        for (group, names) in actions.iter().enumerate() {
            let to = if group == wanted { wanted + 1 } else { wanted };
            names.iter().for_each(|&action| builder.transition(state(wanted), action, state(to)));
        }
    }
    builder.build()
}

/// The run of the system itself behind one of what it tells.
pub(super) fn run_before_the_stop(mut witness: Witness) -> Witness {
    let end = witness.steps.iter().position(|step| step.name == STOP);
    witness.steps.truncate(end.unwrap_or(witness.steps.len()));
    witness.ending = Ending::Stuck;
    witness
}
