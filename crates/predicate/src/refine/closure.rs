//! Which predicates the condition of a step needs, and where: predicate inference from seeds by weakest
//! preconditions over the control-flow graph (THESIS 4.5).
//! DIVERGENCE: seeds are conjuncts of guards, not whole branches; predicates stay at the locations where they
//! were found; a condition over an input is carried past the input only where the step says what the input
//! equals.
//!
//! Worked example: seed `x > 5` at a branch that is reached by `x = y + 1` from a place that a loop `y = y -
//! 2` comes back to. Before the assignment the predicate is `y + 1 > 5`; round the loop `y - 2 + 1 > 5`, and
//! so on without end: after so many different predicates the seed is `endless`, and its own condition is
//! tracked everywhere instead.

use crate::component::Component;
use crate::predicates::{atoms, conjuncts, positive};
use crate::{EdgeId, NodeId};
use base::IndexVec;
use logic::TermId;
use logic::term::{Op, symbols_in};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

use crate::refine::follow::{Seed, TreeStep};

/// Different predicates that one seed may give at first, and at last (the thesis' MAXSUB and MAXELM).
const FEW_ATOMS: usize = 8;
const MOST_ATOMS: usize = 32;
/// Places that one seed may give predicates to.
const MOST_PLACES: usize = 20_000;

/// Computes and remembers the predicates of seeds.
#[derive(Clone, Debug)]
pub struct Closure {
    into: IndexVec<NodeId, Vec<EdgeId>>,
    known: FxHashMap<Seed, Vec<(NodeId, TermId)>>,
    most_atoms: usize,
    /// Seeds whose weakest preconditions do not come to an end.
    endless: FxHashSet<Seed>,
}

impl Closure {
    /// Nothing computed yet.
    pub fn new(component: &Component) -> Closure {
        let mut into: IndexVec<NodeId, Vec<EdgeId>> = IndexVec::filled(Vec::new(), component.nodes.len());
        for (id, edge) in component.edges.iter_enumerated() {
            into[edge.to].push(id);
        }
        Closure { into, known: FxHashMap::default(), most_atoms: FEW_ATOMS, endless: FxHashSet::default() }
    }

    /// Lets each seed give more predicates from now on; false if it may not.
    pub fn widen(&mut self) -> bool {
        if self.most_atoms >= MOST_ATOMS {
            return false;
        }
        self.most_atoms *= 2;
        self.known.clear();
        true
    }

    /// The predicates that a seed needs, each with its place.
    pub fn predicates(&mut self, component: &mut Component, seed: Seed) -> &[(NodeId, TermId)] {
        if !self.known.contains_key(&seed) {
            let found = self.compute(component, seed);
            self.known.insert(seed, found);
        }
        &self.known[&seed]
    }

    /// Where the weakest preconditions of a seed do not come to an end (each round of a loop that counts
    /// gives another), its own condition may be what the loop keeps: it is tracked everywhere.
    pub fn spread(&mut self, component: &mut Component, seed: Seed) -> Vec<TermId> {
        self.predicates(component, seed);
        if self.endless.contains(&seed) {
            expressible(component, seed.edge, seed.condition)
        } else {
            Vec::new()
        }
    }

    fn compute(&mut self, component: &mut Component, seed: Seed) -> Vec<(NodeId, TermId)> {
        let mut found: Vec<(NodeId, TermId)> = Vec::new();
        let mut seen: FxHashSet<(NodeId, TermId)> = FxHashSet::default();
        let mut distinct: FxHashSet<TermId> = FxHashSet::default();
        let mut queue: VecDeque<(NodeId, TermId)> = VecDeque::new();
        let from = component.edges[seed.edge].from;
        for atom in expressible(component, seed.edge, seed.condition) {
            queue.push_back((from, atom));
        }
        while let Some((node, atom)) = queue.pop_front() {
            if found.len() >= MOST_PLACES || !seen.insert((node, atom)) {
                continue;
            }
            if !distinct.contains(&atom) {
                if distinct.len() >= self.most_atoms {
                    self.endless.insert(seed);
                    continue;
                }
                distinct.insert(atom);
            }
            found.push((node, atom));
            for &edge in &self.into[node] {
                let before = component.before(edge, atom);
                let from = component.edges[edge].from;
                for atom in expressible(component, edge, before) {
                    queue.push_back((from, atom));
                }
            }
        }
        found
    }

    /// The predicates that rule out one path for good: all atoms of the weakest preconditions of its
    /// conditions, each at its place on the path.
    pub fn along(component: &mut Component, steps: &[TreeStep], seeds: &[Seed]) -> Vec<(NodeId, TermId)> {
        let mut found = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            for seed in seeds.iter().filter(|seed| seed.edge == step.edge) {
                let mut terms = expressible(component, step.edge, seed.condition);
                let mut at = index;
                loop {
                    let node = component.edges[steps[at].edge].from;
                    found.extend(terms.iter().map(|&term| (node, term)));
                    let Some(parent) = steps[at].parent else { break };
                    at = parent;
                    let edge = steps[at].edge;
                    let mut earlier = Vec::new();
                    for term in terms {
                        let before = component.before(edge, term);
                        earlier.extend(expressible(component, edge, before));
                    }
                    earlier.sort_unstable();
                    earlier.dedup();
                    terms = earlier;
                    if terms.is_empty() {
                        break;
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The atoms of a term before a step, without the step's inputs.
fn expressible(component: &mut Component, edge: EdgeId, term: TermId) -> Vec<TermId> {
    let inputs: Vec<TermId> = component.edges[edge].inputs.iter().map(|input| input.symbol).collect();
    let mut open = vec![term];
    for input in inputs {
        let is_used = open.iter().any(|&term| symbols_in(&component.pool, &[term]).contains(&input));
        if !is_used {
            continue;
        }
        let values = values_of(component, edge, input);
        let mut next = Vec::new();
        for term in open {
            for atom in atoms(component, term) {
                if !symbols_in(&component.pool, &[atom]).contains(&input) {
                    next.push(atom);
                    continue;
                }
                for &value in &values {
                    let map = std::iter::once((input, value)).collect();
                    let replaced = component.pool.substitute(atom, &map);
                    next.push(component.simplifier.simplify(&mut component.pool, replaced));
                }
            }
        }
        open = next;
    }
    let mut found: Vec<TermId> = Vec::new();
    for term in open {
        let simple = component.simplifier.simplify(&mut component.pool, term);
        for atom in atoms(component, simple) {
            let atom = positive(component, atom);
            if !found.contains(&atom) {
                found.push(atom);
            }
        }
    }
    let inputs: FxHashSet<TermId> = component.edges[edge].inputs.iter().map(|input| input.symbol).collect();
    found.retain(|&atom| !symbols_in(&component.pool, &[atom]).iter().any(|symbol| inputs.contains(symbol)));
    found
}

/// The values that the step says an input has, if it says so by equations.
fn values_of(component: &Component, edge: EdgeId, input: TermId) -> Vec<TermId> {
    let pool = &component.pool;
    let equated = |term: TermId| {
        if pool.op(term) != Op::Equal {
            return None;
        }
        let sides = pool.arguments(term);
        match (sides[0] == input, sides[1] == input) {
            (true, false) => Some(sides[1]),
            (false, true) => Some(sides[0]),
            _ => None,
        }
    };
    for conjunct in conjuncts(component, component.edges[edge].guard) {
        if let Some(value) = equated(conjunct) {
            return vec![value];
        }
        if pool.op(conjunct) == Op::Or {
            let values: Option<Vec<TermId>> =
                pool.arguments(conjunct).iter().map(|&one| equated(one)).collect();
            if let Some(values) = values {
                return values;
            }
        }
    }
    Vec::new()
}
