//! The product of two parts. Like `lks::Composition`, but a part whose processes have terminated may still be
//! moved by its properties, so termination is a proposition here and not a mark.

use base::{Exhausted, Id, IndexVec};
use indexmap::IndexSet;
use lks::{ActionId, Lks, LksBuilder, PropositionId, StateId, StateMark};
use question::Monitor;
use rustc_hash::FxBuildHasher;

/// A product with more transitions than this per state that it may have costs too much as well.
const TRANSITIONS_PER_STATE: usize = 8;

/// How often limits are looked at. The memory is read at every 256th time, and a state may have many
/// transitions.
const STATES_BETWEEN_CHECKS: usize = 4;

/// After so many states people who wait hear of them.
const STATES_BETWEEN_NEWS: usize = 1 << 12;

/// A product, and for each of its states the states of the two.
pub(super) type Product = (Lks, Vec<(StateId, StateId)>);

/// The product's reachable part with the pair each state stands for; `None` past `most` states, or far
/// more transitions.
pub(super) fn product(
    left: &Lks,
    right: &Lks,
    ended: &str,
    most: usize,
    monitor: Monitor<'_>,
) -> Result<Option<Product>, Exhausted> {
    let mut builder = LksBuilder::new(&format!("{}+{}", left.name(), right.name()));
    let is_ended = builder.proposition(ended);
    // A proposition holds of the product where it holds of either; termination where it holds of both.
    let mut labels = |lks: &Lks| -> Vec<(PropositionId, PropositionId)> {
        let names = lks.propositions();
        let others = names.ids().filter(|own| names.name(*own) != ended);
        others.map(|own| (own, builder.proposition(names.name(own)))).collect()
    };
    let (left_labels, right_labels) = (labels(left), labels(right));
    let mut names = |lks: &Lks| -> IndexVec<ActionId, ActionId> {
        lks.alphabet().ids().map(|action| builder.action(lks.alphabet().name(action))).collect()
    };
    let (from_left, from_right) = (names(left), names(right));
    let partner: IndexVec<ActionId, Option<ActionId>> = left
        .alphabet()
        .translation_to(right.alphabet())
        .iter()
        .map(|other| other.filter(|action| !action.is_silent()))
        .collect();
    let mut is_shared_right: IndexVec<ActionId, bool> = IndexVec::filled(false, right.alphabet().len());
    partner.iter().flatten().for_each(|action| is_shared_right[*action] = true);
    let holds = |lks: &Lks, state: StateId| {
        lks.propositions().find(ended).is_some_and(|proposition| lks.holds(state, proposition))
    };
    let mut found: IndexSet<(StateId, StateId), FxBuildHasher> = IndexSet::default();
    let meet = |found: &mut IndexSet<(StateId, StateId), FxBuildHasher>, builder: &mut LksBuilder, pair| {
        let (index, is_new) = found.insert_full(pair);
        if is_new {
            builder.state();
        }
        StateId::from_index(index)
    };
    for l in left.initial() {
        for r in right.initial() {
            let state = meet(&mut found, &mut builder, (*l, *r));
            builder.initial(state);
        }
    }
    let mut next = 0;
    let mut transitions = 0;
    while next < found.len() {
        if next.is_multiple_of(STATES_BETWEEN_NEWS) {
            monitor.count("states", found.len());
        }
        if next.is_multiple_of(STATES_BETWEEN_CHECKS) {
            monitor.check()?;
        }
        if found.len() > most || transitions > most.saturating_mul(TRANSITIONS_PER_STATE) {
            return Ok(None);
        }
        let (l, r) = found[next];
        let from = StateId::from_index(next);
        next += 1;
        if holds(left, l) && holds(right, r) {
            builder.label(from, is_ended);
        }
        for (_, new) in left_labels.iter().filter(|(own, _)| left.holds(l, *own)) {
            builder.label(from, *new);
        }
        for (_, new) in right_labels.iter().filter(|(own, _)| right.holds(r, *own)) {
            builder.label(from, *new);
        }
        if left.mark(l) == StateMark::Error || right.mark(r) == StateMark::Error {
            builder.mark(from, StateMark::Error);
            continue;
        }
        for (action, l_next) in left.transitions(l) {
            match partner[action] {
                None => {
                    transitions += 1;
                    let to = meet(&mut found, &mut builder, (l_next, r));
                    builder.transition(from, from_left[action], to);
                }
                Some(other) => {
                    for r_next in right.successors_by(r, other) {
                        transitions += 1;
                        let to = meet(&mut found, &mut builder, (l_next, *r_next));
                        builder.transition(from, from_left[action], to);
                    }
                }
            }
        }
        for (action, r_next) in right.transitions(r).filter(|(action, _)| !is_shared_right[*action]) {
            transitions += 1;
            let to = meet(&mut found, &mut builder, (l, r_next));
            builder.transition(from, from_right[action], to);
        }
    }
    Ok(Some((builder.build(), found.into_iter().collect())))
}
