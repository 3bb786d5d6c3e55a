//! Obligations, that is, Boolean combinations of safety and guarantee properties: the smallest weak deterministic
//! automaton, which exists for exactly these.
//! After Löding 2001 (minimisation), Dax, Eisinger, Klaedtke 2007 (from a Büchi automaton and its complement).
//! The candidate is compared with the formula's and the negated formula's automata before it is used.

use crate::automaton::{Automaton, Edge, Location, Marks};
use crate::guard::{Guard, Guards};
use crate::lasso_word::{LassoWord, Letter};
use crate::syntax::Atom;
use base::{Budget, Exhausted, Id, IndexVec};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Past this many sets of states the construction is given up; the automaton then stays as it was.
const MOST_SETS: usize = 600;

/// A complete deterministic automaton; whether a run accepts depends on the states it stays in.
struct Deterministic {
    guards: Guards,
    /// For each state a partition of the letters.
    next: Vec<Vec<(Guard, usize)>>,
    sets: Vec<Vec<Location>>,
    accepting: Vec<bool>,
}

/// The smallest weak deterministic automaton, if the language is an obligation and the sets do not grow too many.
/// `negated` accepts exactly the words that `automaton` does not.
pub fn smallest_weak_deterministic(
    automaton: &Automaton,
    negated: &Automaton,
    budget: &Budget,
) -> Result<Option<Automaton>, Exhausted> {
    let Some(mut sets) = subsets(automaton, budget)? else { return Ok(None) };
    colour(automaton, &mut sets);
    let smallest = minimise(sets);
    let accepted = smallest.to_automaton(&automaton.atoms, true);
    let rejected = smallest.to_automaton(&automaton.atoms, false);
    budget.check()?;
    let is_same = accepted.intersection(negated).is_empty() && rejected.intersection(automaton).is_empty();
    Ok(is_same.then(|| accepted.pruned()))
}

/// The subset construction, acceptance aside. The empty set is a state like others, so the result is complete.
fn subsets(automaton: &Automaton, budget: &Budget) -> Result<Option<Deterministic>, Exhausted> {
    let mut guards = automaton.guards.clone();
    let mut sets = vec![vec![automaton.initial]];
    let mut number: FxHashMap<Vec<Location>, usize> = FxHashMap::default();
    number.insert(sets[0].clone(), 0);
    let mut next = Vec::new();
    let mut position = 0;
    while position < sets.len() {
        budget.check()?;
        if sets.len() > MOST_SETS {
            return Ok(None);
        }
        let mut into: std::collections::BTreeMap<Location, Guard> = Default::default();
        for state in &sets[position] {
            for edge in &automaton.edges[*state] {
                let guard = into.entry(edge.to).or_insert(Guard::FALSE);
                *guard = guards.or(*guard, edge.guard);
            }
        }
        // Split the letters by where they lead.
        let mut parts: Vec<(Guard, Vec<Location>)> = vec![(Guard::TRUE, Vec::new())];
        for (to, guard) in into {
            let mut finer = Vec::with_capacity(parts.len() + 1);
            for (letters, targets) in parts {
                let (inside, outside) = (guards.and(letters, guard), guards.minus(letters, guard));
                if inside != Guard::FALSE {
                    let mut more = targets.clone();
                    more.push(to);
                    finer.push((inside, more));
                }
                if outside != Guard::FALSE {
                    finer.push((outside, targets));
                }
            }
            parts = finer;
            if parts.len() > MOST_SETS {
                return Ok(None);
            }
        }
        let mut edges = Vec::with_capacity(parts.len());
        for (letters, targets) in parts {
            let to = *number.entry(targets.clone()).or_insert_with(|| {
                sets.push(targets);
                sets.len() - 1
            });
            edges.push((letters, to));
        }
        next.push(edges);
        position += 1;
    }
    let accepting = vec![false; sets.len()];
    Ok(Some(Deterministic { guards, next, sets, accepting }))
}

/// Decides each component by one of its cycles, then colours as Löding does, so that minimising is as for finite
/// words.
fn colour(automaton: &Automaton, sets: &mut Deterministic) {
    let graph = sets.to_automaton(&automaton.atoms, true);
    let components = graph.components();
    let count = components.has_edge.len();
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (state, component) in components.of.iter_enumerated() {
        members[component.expect("every set was reached")].push(state.index());
    }
    // Even colours accept. Components are numbered successors first.
    let mut colours = vec![0usize; count];
    for component in 0..count {
        let mut highest = None;
        for state in &members[component] {
            for (_, to) in &sets.next[*state] {
                let other = components.of[Location::from_index(*to)].expect("every set was reached");
                if other != component {
                    highest = highest.max(Some(colours[other]));
                }
            }
        }
        let below = highest.unwrap_or(0);
        colours[component] = match components.has_edge[component] {
            false => below,
            true => {
                let root = members[component][0];
                let word = LassoWord { stem: Vec::new(), cycle: sets.cycle_through(root) };
                let is_accepting = automaton.accepts_from(&sets.sets[root], &word);
                below + usize::from(below.is_multiple_of(2) != is_accepting)
            }
        };
    }
    for component in 0..count {
        for state in &members[component] {
            sets.accepting[*state] = colours[component].is_multiple_of(2);
        }
    }
}

/// Moore's partition refinement, with guards for letters.
fn minimise(mut automaton: Deterministic) -> Deterministic {
    let mut class: Vec<usize> = automaton.accepting.iter().map(|accepting| usize::from(*accepting)).collect();
    let mut count = 0;
    loop {
        let mut number: FxHashMap<(usize, Vec<(usize, Guard)>), usize> = FxHashMap::default();
        let mut finer = Vec::with_capacity(class.len());
        for (state, edges) in automaton.next.iter().enumerate() {
            let mut by_class: std::collections::BTreeMap<usize, Guard> = Default::default();
            for (letters, to) in edges {
                let guard = by_class.entry(class[*to]).or_insert(Guard::FALSE);
                *guard = automaton.guards.or(*guard, *letters);
            }
            let fresh = number.len();
            finer.push(*number.entry((class[state], by_class.into_iter().collect())).or_insert(fresh));
        }
        let refined = number.len();
        class = finer;
        if refined == count {
            break;
        }
        count = refined;
    }
    let mut next = vec![Vec::new(); count];
    let mut accepting = vec![false; count];
    for (state, edges) in automaton.next.iter().enumerate() {
        accepting[class[state]] = automaton.accepting[state];
        if next[class[state]].is_empty() {
            let mut by_class: std::collections::BTreeMap<usize, Guard> = Default::default();
            for (letters, to) in edges {
                let guard = by_class.entry(class[*to]).or_insert(Guard::FALSE);
                *guard = automaton.guards.or(*guard, *letters);
            }
            next[class[state]] = by_class.into_iter().map(|(to, letters)| (letters, to)).collect();
        }
    }
    // The initial state stays the first.
    let first = class[0];
    let swap = |state: usize| match state {
        0 => first,
        _ if state == first => 0,
        _ => state,
    };
    next.swap(0, first);
    accepting.swap(0, first);
    for edges in &mut next {
        for (_, to) in edges {
            *to = swap(*to);
        }
    }
    Deterministic { guards: automaton.guards, next, sets: Vec::new(), accepting }
}

impl Deterministic {
    /// As a Büchi automaton whose accepting states are those with this value.
    fn to_automaton(&self, atoms: &[String], value: bool) -> Automaton {
        let mut result = Automaton::empty(atoms.to_vec());
        result.guards = self.guards.clone();
        result.marks = 1;
        result.edges = IndexVec::filled(Vec::new(), self.next.len());
        for (state, edges) in self.next.iter().enumerate() {
            let marks = if self.accepting[state] == value { Marks::only(0) } else { Marks::NONE };
            for (guard, to) in edges {
                let to = Location::from_index(*to);
                result.edges[Location::from_index(state)].push(Edge { to, marks, guard: *guard });
            }
        }
        result.merge_parallel_edges();
        result
    }

    /// The letters of a shortest cycle through the state, which lies on one.
    fn cycle_through(&self, root: usize) -> Vec<Letter> {
        let mut reached_from: FxHashMap<usize, (usize, Guard)> = FxHashMap::default();
        let mut queue = VecDeque::from([root]);
        'search: while let Some(state) = queue.pop_front() {
            for (letters, to) in &self.next[state] {
                if !reached_from.contains_key(to) {
                    reached_from.insert(*to, (state, *letters));
                    if *to == root {
                        break 'search;
                    }
                    queue.push_back(*to);
                }
            }
        }
        let mut letters = Vec::new();
        let mut state = root;
        loop {
            let (before, guard) = reached_from[&state];
            let cube = self.guards.any_cube(guard).expect("edges on no letter were left out");
            letters.push(
                cube.iter()
                    .filter(|l| l.value)
                    .map(|l| Atom::from_index(l.variable.index()))
                    .collect::<Letter>(),
            );
            state = before;
            if state == root {
                break;
            }
        }
        letters.reverse();
        letters
    }
}
