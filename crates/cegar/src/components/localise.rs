//! Localisation: is ERROR out of reach of a few of the components already? Leaving one out only lets the others do more, so what holds of
//! a few holds of all. A run of the few that some component left out cannot follow brings that component in; a run that all
//! can follow is one of the system. Of philosophers around a table, say, the forks need not be looked at when a lock
//! keeps the others away.
//! (The idea is that of localisation, Kurshan 1994; AG learns what to assume of the others, here nothing is assumed.)

use super::ask::asked_of;
use base::{Budget, Id};
use check::engine::EXPLICIT;
use lks::{ActionId, Component, Composition, Lks, LksBuilder, Role, StateId, SyncId};
use question::{Answer, Asks, Counterexample, Verdict};
use std::sync::Arc;

/// Answers by a few components where that is possible; none if it is not known. The watchers of the system are always looked
/// at; counterexamples are runs of the whole system.
pub(super) fn safe_by_a_few(system: &Composition, budget: &Budget) -> Option<Answer> {
    let hidden: Vec<&str> = system
        .syncs()
        .filter(|&sync| sync != SyncId::SILENT && system.shown(sync).is_silent())
        .map(|sync| system.sync_name(sync))
        .collect();
    let compose =
        |components: Vec<Component>| Composition::new(components).hiding(|name| hidden.contains(&name));
    let all: Vec<Component> = system.components().iter().cloned().collect();
    let mut is_kept: Vec<bool> = all.iter().map(|component| component.role == Role::Watcher).collect();
    loop {
        budget.check().ok()?;
        let kept = all.iter().zip(&is_kept).filter(|(_, is_kept)| **is_kept);
        let few = compose(kept.map(|(component, _)| component.clone()).collect());
        let mut answer = asked_of(&few, Asks::NoError, None, budget);
        let Verdict::Violated(counterexample) = &answer.verdict else {
            let count = is_kept.iter().filter(|is_kept| **is_kept).count();
            answer.remarks.push(format!("{count} of {} components were looked at", all.len()));
            return matches!(answer.verdict, Verdict::Holds(_)).then_some(answer);
        };
        let Counterexample::Path(path) = counterexample.as_ref() else { return None };
        let is_event = |name: &&str| {
            system.syncs().any(|sync| sync != SyncId::SILENT && system.sync_name(sync) == *name)
        };
        let word: Vec<&str> = path.steps.iter().map(|step| step.action.as_str()).filter(is_event).collect();
        let mut is_real = true;
        for (index, component) in
            all.iter().enumerate().filter(|(index, _)| !is_kept[*index]).collect::<Vec<_>>()
        {
            if !can_follow(&component.lks, &word) {
                is_kept[index] = true;
                is_real = false;
            }
        }
        if is_real {
            // All together, held to the events of the run.
            let mut guided = all;
            let line = Arc::new(only(&word, system));
            guided.push(Component { name: Arc::from(line.name()), lks: line, role: Role::Process });
            let answer = asked_of(&compose(guided), Asks::NoError, Some(&EXPLICIT), budget);
            return matches!(answer.verdict, Verdict::Violated(_)).then_some(answer);
        }
    }
}

/// Can the component make these of its own events, in this order?
fn can_follow(lks: &Lks, word: &[&str]) -> bool {
    let mut at = silently(lks, lks.initial().to_vec());
    for action in word.iter().filter_map(|name| lks.alphabet().find(name)) {
        let next = at.iter().flat_map(|&state| lks.successors_by(state, action)).copied().collect();
        at = silently(lks, next);
        if at.is_empty() {
            return false;
        }
    }
    true
}

/// The states that can be reached silently, these included.
fn silently(lks: &Lks, mut states: Vec<StateId>) -> Vec<StateId> {
    let mut is_reached = vec![false; lks.state_count()];
    states.retain(|state| !std::mem::replace(&mut is_reached[state.index()], true));
    let mut next = 0;
    while next < states.len() {
        for &to in lks.successors_by(states[next], ActionId::TAU) {
            if !std::mem::replace(&mut is_reached[to.index()], true) {
                states.push(to);
            }
        }
        next += 1;
    }
    states
}

/// Takes part in every event of the system and allows these only, in this order.
fn only(word: &[&str], system: &Composition) -> Lks {
    let mut builder = LksBuilder::new("the run");
    for sync in system.syncs().filter(|&sync| sync != SyncId::SILENT) {
        builder.action(system.sync_name(sync));
    }
    builder.ensure_states(word.len() + 1);
    builder.initial(StateId::from_index(0));
    for (index, name) in word.iter().enumerate() {
        let action = builder.action(name);
        builder.transition(StateId::from_index(index), action, StateId::from_index(index + 1));
    }
    builder.build()
}
