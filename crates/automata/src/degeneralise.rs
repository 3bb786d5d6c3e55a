//! From marks on edges to accepting states: an ordinary Büchi automaton with the same language.
//! After Gastin and Oddoux 2001 with the level tricks of Babiak et al. 2013: a copy of a state remembers up to which
//! mark the run has come; the last level accepts.
//! DIVERGENCE: levels start afresh at every component (a run changes component finitely often), outside accepting
//! components there is one level, and the order of marks is chosen by trying.
//!
//! Worked example: a state with two loops, one with mark 0 (on `a`) and one with mark 1 (on `b`), both wanted
//! again and again. Level 0 waits for mark 0, level 1 for mark 1, level 2 accepts and begins anew. The word
//! `a b a b …` climbs to level 2 again and again; `a a a …` stays on level 1.

use crate::automaton::{Automaton, Components, Edge, Location, Marks};
use crate::guard::Guard;
use crate::simulation::reduce;
use base::{Budget, Exhausted, IndexVec};
use rustc_hash::FxHashMap;

/// With more marks than this, only rotations of the order are tried, not all orders.
const MOST_MARKS_PERMUTED: u32 = 3;

/// How a copy is entered from another component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// At the first level, counting the marks every run from there will see at once.
    First,
    /// At the accepting level.
    Last,
}

/// With at most so many edges in all, every candidate is reduced; with more, the smallest few, as far as they reach.
const MOST_EDGES_REDUCED: usize = 60_000;

/// The smallest Büchi automaton found: acceptance is a matter of states, with at most one mark.
pub fn with_accepting_states(automaton: &Automaton, budget: &Budget) -> Result<Automaton, Exhausted> {
    let automaton = automaton.pruned();
    let components = automaton.components();
    let size = |a: &Automaton| (a.state_count(), a.edge_count());
    let mut candidates: Vec<Automaton> = Vec::new();
    let mut edges = 0;
    'all: for order in orders(automaton.marks) {
        for entry in [Entry::First, Entry::Last] {
            for look_ahead in [true, false] {
                budget.check()?;
                let candidate = levelled(&automaton, &components, &order, entry, look_ahead);
                edges += candidate.edge_count();
                if candidates.iter().all(|known| known.edges != candidate.edges) {
                    candidates.push(candidate);
                }
                if edges > 4 * MOST_EDGES_REDUCED {
                    break 'all;
                }
            }
        }
    }
    if edges > MOST_EDGES_REDUCED {
        candidates.sort_by_key(size);
    }
    let mut best: Option<Automaton> = None;
    let mut reduced = 0;
    for candidate in candidates {
        if best.is_some() && reduced + candidate.edge_count() > MOST_EDGES_REDUCED {
            break;
        }
        reduced += candidate.edge_count();
        let small = reduce(&candidate, budget)?;
        debug_assert!(small.is_state_based());
        if best.as_ref().is_none_or(|known| size(&small) < size(known)) {
            best = Some(small);
        }
    }
    Ok(best.expect("there is at least one order"))
}

fn orders(marks: u32) -> Vec<Vec<u32>> {
    if marks > MOST_MARKS_PERMUTED {
        return (0..marks).map(|shift| (0..marks).map(|mark| (mark + shift) % marks).collect()).collect();
    }
    let mut all = vec![Vec::new()];
    for _ in 0..marks {
        all = all
            .into_iter()
            .flat_map(|order: Vec<u32>| {
                (0..marks)
                    .filter(|mark| !order.contains(mark))
                    .map(|mark| [&order[..], &[mark]].concat())
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    all
}

/// For each state the marks that all its edges inside its component carry.
fn common_marks(automaton: &Automaton, components: &Components) -> IndexVec<Location, Marks> {
    automaton
        .edges
        .iter_enumerated()
        .map(|(from, edges)| {
            let inner = edges.iter().filter(|edge| components.together(from, edge.to));
            inner.map(|edge| edge.marks).reduce(Marks::intersection).unwrap_or(Marks::NONE)
        })
        .collect()
}

fn levelled(
    automaton: &Automaton,
    components: &Components,
    order: &[u32],
    entry: Entry,
    look_ahead: bool,
) -> Automaton {
    let common = common_marks(automaton, components);
    let last = order.len();
    let accepting = |state: Location| {
        components.of[state].is_some_and(|component| components.accepts(component, automaton.marks))
    };
    let climb = |from: usize, marks: Marks| {
        let mut level = from;
        while level < last && marks.contains(order[level]) {
            level += 1;
        }
        level
    };
    let enter = |state: Location| match (accepting(state), entry) {
        (false, _) => 0,
        (true, Entry::First) => climb(0, common[state]),
        (true, Entry::Last) => last,
    };
    let mut result = Automaton::empty(automaton.atoms.clone());
    result.guards = automaton.guards.clone();
    result.marks = 1;
    let start = (automaton.initial, enter(automaton.initial));
    let mut names: FxHashMap<(Location, usize), Location> = FxHashMap::default();
    names.insert(start, result.initial);
    let mut open = vec![start];
    while let Some((state, level)) = open.pop() {
        let from = names[&(state, level)];
        let marks = if accepting(state) && level == last { Marks::only(0) } else { Marks::NONE };
        for edge in &automaton.edges[state] {
            let to_level = if components.together(state, edge.to) && accepting(state) {
                let seen = if look_ahead { edge.marks.union(common[edge.to]) } else { edge.marks };
                climb(if level == last { 0 } else { level }, seen)
            } else {
                enter(edge.to)
            };
            let target = (edge.to, to_level);
            let to = *names.entry(target).or_insert_with(|| {
                open.push(target);
                result.edges.push(Vec::new())
            });
            result.edges[from].push(Edge { to, marks, guard: edge.guard });
        }
    }
    debug_assert!(result.all_edges().all(|(_, edge)| edge.guard != Guard::FALSE));
    result
}
