//! A component restricted to what its neighbours let it do. A lock that anyone may release is, among
//! processes that release only what they took, a lock that knows who holds it; a part joined with the first
//! cannot be kept small, one joined with the second can. After the interface constraints of Graf, Steffen and
//! Lüttgen 1996, found here instead of given.
//!
//! The component is joined with what each neighbour can do on the actions that the two share, made
//! deterministic. In the whole system that changes nothing: the deterministic part is always where the
//! neighbour's own past puts it, and offers at least what the neighbour offers. So the system with the
//! restricted component is strongly bisimilar to the system; `the_context_of_a_component_changes_nothing`
//! compares the two.

use base::{Exhausted, Id, IndexVec};
use indexmap::IndexSet;
use lks::composition::ComponentId;
use lks::{ActionId, Composition, Lks, LksBuilder, Role, StateId, StateMark};
use question::Monitor;
use rustc_hash::{FxBuildHasher, FxHashSet};

/// A neighbour with more states than this is not looked at: what it does would hardly make the component
/// smaller.
const MOST_STATES_OF_A_NEIGHBOUR: usize = 64;
/// The restricted component may have this many times as many states as it has states and neighbours now.
const GROWTH: usize = 4;

/// A component restricted by its neighbours, and for each of its states the state of the component it comes
/// from.
pub(super) struct InContext {
    pub lks: Lks,
    pub origin: Vec<StateId>,
}

/// Every component that its context, the other processes, tells more about, restricted; `None` for those that
/// stay as they are.
pub(super) fn in_context(
    system: &Composition,
    monitor: Monitor<'_>,
) -> Result<IndexVec<ComponentId, Option<InContext>>, Exhausted> {
    let mut all = IndexVec::new();
    for id in system.components().ids() {
        monitor.check()?;
        let own = &system.components()[id].lks;
        let mut neighbours: Vec<ComponentId> = own
            .alphabet()
            .visible()
            .flat_map(|action| system.participants(system.sync_of(id, action)))
            .map(|(other, _)| *other)
            .filter(|other| *other != id && system.components()[*other].role == Role::Process)
            .collect();
        neighbours.sort_unstable();
        neighbours.dedup();
        let views: Vec<View> =
            neighbours.iter().filter_map(|other| View::of(&system.components()[*other].lks, own)).collect();
        let most = GROWTH * (own.state_count() + views.len());
        all.push(if views.is_empty() { None } else { restricted(own, &views, most) });
    }
    Ok(all)
}

/// What a neighbour can do on shared actions: deterministic, every state accepting.
struct View {
    /// For each state its successor under each of the component's actions; actions that are not shared stay.
    next: Vec<IndexVec<ActionId, Option<usize>>>,
}

impl View {
    /// `None` if it allows everything, or is too large to tell.
    fn of(neighbour: &Lks, own: &Lks) -> Option<View> {
        if neighbour.state_count() > MOST_STATES_OF_A_NEIGHBOUR {
            return None;
        }
        let shared = own.alphabet().translation_to(neighbour.alphabet());
        let is_shared: FxHashSet<ActionId> =
            shared.iter().flatten().copied().filter(|action| !action.is_silent()).collect();
        // States the neighbour may be in, as the component sees it. Marks do not matter: whoever is in ERROR
        // or END refuses by having no transitions.
        let closed = |mut states: Vec<StateId>| {
            let mut known: FxHashSet<StateId> = states.iter().copied().collect();
            let mut at = 0;
            while at < states.len() {
                for (action, target) in neighbour.transitions(states[at]) {
                    if !is_shared.contains(&action) && known.insert(target) {
                        states.push(target);
                    }
                }
                at += 1;
            }
            states.sort_unstable();
            states.dedup();
            states
        };
        let mut found: IndexSet<Vec<StateId>, FxBuildHasher> = IndexSet::default();
        found.insert(closed(neighbour.initial().to_vec()));
        let mut next = Vec::new();
        let mut allows_everything = true;
        while next.len() < found.len() {
            let from = next.len();
            let members = found[from].clone();
            let mut row = IndexVec::new();
            for (action, theirs) in shared.iter_enumerated() {
                let Some(theirs) = theirs.filter(|_| !action.is_silent()) else {
                    row.push(Some(from));
                    continue;
                };
                let targets: Vec<StateId> = members
                    .iter()
                    .flat_map(|state| neighbour.successors_by(*state, theirs))
                    .copied()
                    .collect();
                if targets.is_empty() {
                    allows_everything = false;
                    row.push(None);
                } else {
                    row.push(Some(found.insert_full(closed(targets)).0));
                }
            }
            next.push(row);
            if found.len() > MOST_STATES_OF_A_NEIGHBOUR {
                return None;
            }
        }
        (!allows_everything).then_some(View { next })
    }
}

/// The component joined with the views; `None` past `most` states, or if no view forbids anything.
fn restricted(own: &Lks, views: &[View], most: usize) -> Option<InContext> {
    let mut builder = LksBuilder::with_names(own.name(), own.alphabet(), own.propositions());
    let mut found: IndexSet<(StateId, Vec<usize>), FxBuildHasher> = IndexSet::default();
    for initial in own.initial() {
        found.insert((*initial, vec![0; views.len()]));
        let state = builder.state();
        builder.initial(state);
    }
    let mut forbids = false;
    let mut next = 0;
    while next < found.len() {
        let (state, seen) = found[next].clone();
        let from = StateId::from_index(next);
        next += 1;
        if own.mark(state) != StateMark::Plain {
            builder.mark(from, own.mark(state));
        }
        own.label(state).iter().for_each(|proposition| builder.label(from, proposition));
        for (action, target) in own.transitions(state) {
            let after: Option<Vec<usize>> =
                seen.iter().zip(views).map(|(at, view)| view.next[*at][action]).collect();
            let Some(after) = after else {
                forbids = true;
                continue;
            };
            let (to, is_new) = found.insert_full((target, after));
            if is_new {
                builder.state();
            }
            builder.transition(from, action, StateId::from_index(to));
        }
        if found.len() > most {
            return None;
        }
    }
    let origin = found.into_iter().map(|(state, _)| state).collect();
    forbids.then(|| InContext { lks: builder.build(), origin })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bisimulation::{Equivalence, bisimilar};
    use base::Budget;
    use lks::{Component, explore};
    use std::sync::Arc;

    fn built(system: &Composition) -> Lks {
        explore(system, "SYSTEM", &Budget::unlimited()).map_err(|unfinished| unfinished.limit).unwrap().lks
    }

    /// Each component in its context, the others as they are; and all at once.
    #[test]
    fn the_context_of_a_component_changes_nothing() {
        let mut seed = 7u64;
        let mut below = |bound: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % bound
        };
        let mut restricted_ones = 0;
        for round in 0..300 {
            let parts: Vec<Component> = (0..2 + below(3))
                .map(|index| {
                    let mut builder = LksBuilder::new(&format!("P{index}"));
                    let known = 1 + below(4);
                    let mut actions = vec![ActionId::TAU];
                    actions
                        .extend((0..known).map(|_| below(5)).map(|name| builder.action(&format!("a{name}"))));
                    let states = 1 + below(4);
                    builder.ensure_states(states);
                    builder.initial(StateId::from_index(0));
                    for _ in 0..below(8) {
                        let (from, to) = (below(states), below(states));
                        let action = actions[below(actions.len())];
                        builder.transition(StateId::from_index(from), action, StateId::from_index(to));
                    }
                    match below(6) {
                        0 => builder.mark(StateId::from_index(states - 1), StateMark::Error),
                        1 => builder.mark(StateId::from_index(states - 1), StateMark::End),
                        _ => {}
                    }
                    Component::process(builder.build())
                })
                .collect();
            let system = Composition::new(parts.clone());
            let contexts = in_context(&system, Monitor::silent(&Budget::unlimited())).unwrap();
            let replaced = |which: &dyn Fn(usize) -> bool| {
                let components = parts.iter().zip(contexts.iter()).enumerate();
                Composition::new(
                    components
                        .map(|(index, (own, context))| match context {
                            Some(context) if which(index) => {
                                Component { lks: Arc::new(context.lks.clone()), ..own.clone() }
                            }
                            _ => own.clone(),
                        })
                        .collect(),
                )
            };
            let whole = built(&system);
            let ways = (0..parts.len()).map(|only| replaced(&move |index| index == only));
            for other in ways.chain([replaced(&|_| true)]) {
                let same = bisimilar(&whole, &built(&other), Equivalence::Strong, &Budget::unlimited());
                assert_eq!(same.verdict.word(), "holds", "round {round}");
            }
            restricted_ones += contexts.iter().flatten().count();
        }
        assert!(restricted_ones > 100, "only {restricted_ones} components were restricted");
    }

    /// A lock that anyone may release, among two who release what they took: it knows who holds it.
    #[test]
    fn a_lock_learns_who_holds_it() {
        let steps = |name: &str, steps: &[(usize, &str, usize)]| {
            let mut builder = LksBuilder::new(name);
            builder.ensure_states(2);
            builder.initial(StateId::from_index(0));
            for (from, action, to) in steps {
                let action = builder.action(action);
                builder.transition(StateId::from_index(*from), action, StateId::from_index(*to));
            }
            Component::process(builder.build())
        };
        let system = Composition::new(vec![
            steps("LOCK", &[(0, "get1", 1), (0, "get2", 1), (1, "put1", 0), (1, "put2", 0)]),
            steps("ONE", &[(0, "get1", 1), (1, "put1", 0)]),
            steps("TWO", &[(0, "get2", 1), (1, "put2", 0)]),
        ]);
        let contexts = in_context(&system, Monitor::silent(&Budget::unlimited())).unwrap();
        let lock = contexts[ComponentId::from_index(0)].as_ref().expect("it is restricted");
        assert_eq!((lock.lks.state_count(), lock.lks.transition_count()), (3, 4));
        assert_eq!(lock.origin.iter().map(|state| state.index()).collect::<Vec<_>>(), [0, 1, 1]);
    }
}
