//! Makes an automaton smaller by direct simulation, forward and backward.
//! After Somenzi and Bloem 2000, letter by letter as in Babiak, Badie, Duret-Lutz, Křetínský, Strejček 2013: a state
//! simulates another when every edge of that one is covered, on every letter, by an edge with the same marks or more to
//! a state that simulates its target. Edges that another edge makes superfluous are dropped with the quotient.
//! DIVERGENCE: the relation is kept as sets of states and only letters are diagrams. Signatures with a variable per
//! class give the same relation, but their diagrams grow exponentially with many marks or classes.
//! Tested by `translations_agree_with_the_oracle`.

use crate::automaton::{Automaton, Edge, Location, Marks};
use crate::guard::Guard;
use base::{Budget, Exhausted, Id, IndexVec};
use rustc_hash::FxHashMap;

/// Which edges are compared: those that leave a state, or those that enter it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

/// Past this many states the comparison of all pairs costs more than it saves.
const MOST_STATES: usize = 1500;

/// Past so many comparisons of two edges a reduction is given up; the automaton then stays as it was.
const MOST_COMPARISONS: usize = 60_000_000;

/// What subtracting a guard counts for among comparisons.
const COST_OF_GUARDS: usize = 16;

/// The same language with fewer states and edges where simulation finds them. Acceptance that was a matter of states
/// stays one.
pub fn reduce(automaton: &Automaton, budget: &Budget) -> Result<Automaton, Exhausted> {
    let mut current = automaton.pruned();
    if current.state_count() > MOST_STATES {
        return Ok(current);
    }
    loop {
        let before = (current.state_count(), current.edge_count());
        for direction in [Direction::Forward, Direction::Backward] {
            if let Some(smaller) = Comparison::new(&mut current, direction).quotient(budget)? {
                current = smaller.pruned();
            }
        }
        if (current.state_count(), current.edge_count()) >= before {
            return Ok(current);
        }
    }
}

/// A set of states, one bit each.
#[derive(Clone, PartialEq, Eq)]
struct StateSet(Vec<u64>);

impl StateSet {
    fn contains(&self, state: Location) -> bool {
        self.0[state.index() / 64] >> (state.index() % 64) & 1 == 1
    }

    fn insert(&mut self, state: Location) {
        self.0[state.index() / 64] |= 1 << (state.index() % 64);
    }

    fn remove(&mut self, state: Location) {
        self.0[state.index() / 64] &= !(1 << (state.index() % 64));
    }
}

struct Comparison<'a> {
    automaton: &'a mut Automaton,
    direction: Direction,
    /// For each state its edges in the direction of interest; `to` is the other end.
    edges: IndexVec<Location, Vec<Edge>>,
    /// For each state those that may still simulate it.
    simulated_by: IndexVec<Location, StateSet>,
    comparisons: usize,
}

impl<'a> Comparison<'a> {
    fn new(automaton: &'a mut Automaton, direction: Direction) -> Comparison<'a> {
        let count = automaton.state_count();
        let mut edges = IndexVec::filled(Vec::new(), count);
        for (from, edge) in automaton.all_edges() {
            match direction {
                Direction::Forward => edges[from].push(*edge),
                Direction::Backward => edges[edge.to].push(Edge { to: from, ..*edge }),
            }
        }
        let nobody = StateSet(vec![0; count.div_ceil(64)]);
        let mut comparison = Comparison {
            automaton,
            direction,
            edges,
            simulated_by: IndexVec::filled(nobody, count),
            comparisons: 0,
        };
        comparison.relate_all();
        comparison
    }

    /// Relates all states that the edges need not tell apart.
    fn relate_all(&mut self) {
        let state_based = self.automaton.is_state_based();
        let accepting: IndexVec<Location, bool> = self
            .automaton
            .edges
            .iter()
            .map(|edges| edges.iter().any(|edge| edge.marks != Marks::NONE))
            .collect();
        let initial = self.automaton.initial;
        let some_letter: IndexVec<Location, Guard> = self
            .edges
            .iter()
            .map(|edges| {
                edges.iter().fold(Guard::FALSE, |all, edge| self.automaton.guards.or(all, edge.guard))
            })
            .collect();
        for small in self.edges.ids() {
            for big in self.edges.ids() {
                // Backward, only an initial state can stand for the initial state, and with accepting states only an
                // accepting one for an accepting one, which keeps acceptance a matter of states.
                let is_apart = self.direction == Direction::Backward
                    && (small == initial && big != initial
                        || state_based && accepting[small] && !accepting[big]);
                if small == big
                    || !is_apart && self.automaton.guards.implies(some_letter[small], some_letter[big])
                {
                    self.simulated_by[small].insert(big);
                }
            }
        }
    }

    /// The automaton with one state per class of states that simulate each other; `None` if it would take too long.
    fn quotient(mut self, budget: &Budget) -> Result<Option<Automaton>, Exhausted> {
        let mut neighbours = IndexVec::filled(Vec::new(), self.edges.len());
        for (state, edges) in self.edges.iter_enumerated() {
            for edge in edges {
                neighbours[edge.to].push(state);
            }
        }
        // A state is looked at again when one of its targets has lost a simulating state.
        let mut waits = IndexVec::filled(true, self.edges.len());
        let mut open: Vec<Location> = self.edges.ids().rev().collect();
        while let Some(small) = open.pop() {
            budget.check()?;
            if self.comparisons > MOST_COMPARISONS {
                return Ok(None);
            }
            waits[small] = false;
            let mut has_lost = false;
            for big in self.edges.ids() {
                if big != small && self.simulated_by[small].contains(big) && !self.covers(big, small) {
                    self.simulated_by[small].remove(big);
                    has_lost = true;
                }
            }
            if has_lost {
                for state in &neighbours[small] {
                    if !std::mem::replace(&mut waits[*state], true) {
                        open.push(*state);
                    }
                }
            }
        }
        Ok(Some(self.rebuild()))
    }

    /// Is every edge of `small` matched by edges of `big`, as far as is known?
    fn covers(&mut self, big: Location, small: Location) -> bool {
        for wanted in &self.edges[small] {
            let simulators = &self.simulated_by[wanted.to];
            let mut uncovered = wanted.guard;
            self.comparisons += self.edges[big].len();
            for offered in &self.edges[big] {
                if wanted.marks.without(offered.marks) == Marks::NONE && simulators.contains(offered.to) {
                    self.comparisons += COST_OF_GUARDS;
                    uncovered = self.automaton.guards.minus(uncovered, offered.guard);
                    if uncovered == Guard::FALSE {
                        break;
                    }
                }
            }
            if uncovered != Guard::FALSE {
                return false;
            }
        }
        true
    }

    /// One state per class; an edge keeps the letters on which no better edge exists.
    fn rebuild(self) -> Automaton {
        let Comparison { automaton, direction, edges, simulated_by, .. } = self;
        let mut class_of: IndexVec<Location, Option<Location>> = IndexVec::filled(None, edges.len());
        let mut speaker: IndexVec<Location, Location> = IndexVec::new();
        for state in edges.ids() {
            let same = speaker.iter_enumerated().find(|(_, known)| {
                simulated_by[state].contains(**known) && simulated_by[**known].contains(state)
            });
            let class = same.map(|(class, _)| class);
            class_of[state] = Some(class.unwrap_or_else(|| speaker.push(state)));
        }
        let class_of = |state: Location| class_of[state].expect("every state has a class");
        let mut result = Automaton::empty(automaton.atoms.clone());
        result.marks = automaton.marks;
        result.edges = IndexVec::filled(Vec::new(), speaker.len());
        result.initial = class_of(automaton.initial);
        let guards = &mut automaton.guards;
        for (here, state) in speaker.iter_enumerated() {
            let mut joined: FxHashMap<(Location, Marks), Guard> = FxHashMap::default();
            for edge in &edges[*state] {
                let guard = joined.entry((class_of(edge.to), edge.marks)).or_insert(Guard::FALSE);
                *guard = guards.or(*guard, edge.guard);
            }
            for (&(other, marks), &all) in &joined {
                let mut guard = all;
                for (&(better, better_marks), letters) in &joined {
                    let is_better = (better, better_marks) != (other, marks)
                        && marks.without(better_marks) == Marks::NONE
                        && simulated_by[speaker[other]].contains(speaker[better]);
                    if is_better {
                        guard = guards.minus(guard, *letters);
                    }
                }
                if guard == Guard::FALSE {
                    continue;
                }
                let (from, to) = match direction {
                    Direction::Forward => (here, other),
                    Direction::Backward => (other, here),
                };
                result.edges[from].push(Edge { to, marks, guard });
            }
        }
        result.guards = std::mem::take(guards);
        result.merge_parallel_edges();
        result
    }
}
