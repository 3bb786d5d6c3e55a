//! Makes an automaton smaller by direct simulation, forward and backward, on signatures.
//! After Babiak, Badie, Duret-Lutz, Křetínský, Strejček 2013 ("signatures") and Somenzi and Bloem 2000 (backward).
//! A state's signature is a Boolean function over the letter, the promises an edge leaves open and the classes that
//! simulate its target; a state simulates another when its signature is implied. Reading the edges back from the
//! signature drops every edge that another edge makes superfluous, so quotient and pruning are one step.
//! Tested by `translations_agree_with_the_oracle`.

use crate::automaton::{Automaton, Edge, Location, Marks};
use crate::guard::{Guard, Guards, Variable};
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
            current = Signatures::new(&current, direction).reduce(budget)?.pruned();
        }
        if (current.state_count(), current.edge_count()) >= before {
            return Ok(current);
        }
    }
}

struct Signatures<'a> {
    automaton: &'a Automaton,
    direction: Direction,
    state_based: bool,
    guards: Guards,
    imported: FxHashMap<Guard, Guard>,
    /// For each state its edges in the direction of interest: the other end, marks, guard.
    edges: IndexVec<Location, Vec<(Location, Marks, Guard)>>,
    first_promise: usize,
    /// Holds of the initial state only.
    begins: Variable,
    /// Holds of states whose own edges carry no mark; keeps acceptance a matter of states.
    plain: Variable,
    first_class: usize,
}

/// Classes of states, and for each class those that simulate it, itself included.
struct Classes {
    of: IndexVec<Location, usize>,
    simulated_by: Vec<Vec<usize>>,
}

impl<'a> Signatures<'a> {
    fn new(automaton: &'a Automaton, direction: Direction) -> Signatures<'a> {
        let atoms = automaton.atoms.len();
        let first_promise = atoms;
        let begins = atoms + automaton.marks as usize;
        let mut edges = IndexVec::filled(Vec::new(), automaton.state_count());
        for (from, edge) in automaton.all_edges() {
            match direction {
                Direction::Forward => edges[from].push((edge.to, edge.marks, edge.guard)),
                Direction::Backward => edges[edge.to].push((from, edge.marks, edge.guard)),
            }
        }
        Signatures {
            automaton,
            direction,
            state_based: automaton.is_state_based(),
            guards: Guards::new(),
            imported: FxHashMap::default(),
            edges,
            first_promise,
            begins: Variable::from_index(begins),
            plain: Variable::from_index(begins + 1),
            first_class: begins + 2,
        }
    }

    fn reduce(mut self, budget: &Budget) -> Result<Automaton, Exhausted> {
        let states = self.automaton.state_count();
        let mut classes = Classes { of: IndexVec::filled(0, states), simulated_by: vec![vec![0]] };
        let mut related = usize::MAX;
        loop {
            budget.check()?;
            let signatures: Vec<Guard> =
                self.automaton.edges.ids().map(|state| self.signature(state, &classes)).collect();
            let next = self.classes_of(&signatures);
            let now_related = count_pairs(&next);
            if now_related == related {
                return Ok(self.rebuild(&classes));
            }
            related = now_related;
            classes = next;
        }
    }

    fn signature(&mut self, state: Location, classes: &Classes) -> Guard {
        let mut signature = Guard::FALSE;
        if self.direction == Direction::Backward && state == self.automaton.initial {
            signature = self.guards.variable(self.begins);
        }
        for position in 0..self.edges[state].len() {
            let (other, marks, guard) = self.edges[state][position];
            let guards = &mut self.guards;
            let mut cube = *self
                .imported
                .entry(guard)
                .or_insert_with(|| guards.import(&self.automaton.guards, guard, &|v| v));
            for class in &classes.simulated_by[classes.of[other]] {
                let variable = self.guards.variable(Variable::from_index(self.first_class + class));
                cube = self.guards.and(cube, variable);
            }
            for open in Marks::all(self.automaton.marks).without(marks).iter() {
                let variable = self.guards.variable(Variable::from_index(self.first_promise + open as usize));
                cube = self.guards.and(cube, variable);
            }
            signature = self.guards.or(signature, cube);
        }
        if self.direction == Direction::Backward && self.state_based && !self.is_accepting(state) {
            let plain = self.guards.variable(self.plain);
            signature = self.guards.and(signature, plain);
        }
        signature
    }

    fn is_accepting(&self, state: Location) -> bool {
        self.automaton.edges[state].iter().any(|edge| edge.marks != Marks::NONE)
    }

    fn classes_of(&mut self, signatures: &[Guard]) -> Classes {
        let mut number: FxHashMap<Guard, usize> = FxHashMap::default();
        let mut distinct = Vec::new();
        let of = signatures
            .iter()
            .map(|signature| {
                *number.entry(*signature).or_insert_with(|| {
                    distinct.push(*signature);
                    distinct.len() - 1
                })
            })
            .collect();
        let simulated_by = (0..distinct.len())
            .map(|small| {
                (0..distinct.len())
                    .filter(|big| self.guards.implies(distinct[small], distinct[*big]))
                    .collect()
            })
            .collect();
        Classes { of, simulated_by }
    }

    /// One state per class, its edges read from the signature.
    fn rebuild(mut self, classes: &Classes) -> Automaton {
        let by_simulators: FxHashMap<&[usize], usize> =
            classes.simulated_by.iter().enumerate().map(|(class, by)| (by.as_slice(), class)).collect();
        let mut result = Automaton::empty(self.automaton.atoms.clone());
        result.marks = self.automaton.marks;
        result.edges = IndexVec::filled(Vec::new(), classes.simulated_by.len());
        result.initial = Location::from_index(classes.of[self.automaton.initial]);
        let mut done = vec![false; classes.simulated_by.len()];
        let letters_end = Variable::from_index(self.first_promise);
        for state in self.automaton.edges.ids() {
            let class = classes.of[state];
            // States of one class have one signature; the initial one is not special here, edges are all that counts.
            if std::mem::replace(&mut done[class], true) {
                continue;
            }
            let signature = self.signature(state, classes);
            for (condition, rest) in self.guards.remainders(signature, letters_end) {
                let guard = result.guards.import(&self.guards, condition, &|v| v);
                for cube in self.guards.cubes(rest) {
                    let mut marks = Marks::all(result.marks);
                    let mut simulators = Vec::new();
                    for literal in &cube {
                        let index = literal.variable.index();
                        if index < self.begins.index() {
                            marks = marks.without(Marks::only((index - self.first_promise) as u32));
                        } else if index >= self.first_class {
                            simulators.push(index - self.first_class);
                        }
                    }
                    if simulators.is_empty() {
                        continue; // the cube that says "initial"
                    }
                    simulators.sort_unstable();
                    let other = Location::from_index(by_simulators[simulators.as_slice()]);
                    let here = Location::from_index(class);
                    let (from, to) = match self.direction {
                        Direction::Forward => (here, other),
                        Direction::Backward => (other, here),
                    };
                    result.edges[from].push(Edge { to, marks, guard });
                }
            }
        }
        result.merge_parallel_edges();
        result
    }
}

fn count_pairs(classes: &Classes) -> usize {
    let mut sizes = vec![0usize; classes.simulated_by.len()];
    for class in &classes.of {
        sizes[*class] += 1;
    }
    classes
        .simulated_by
        .iter()
        .enumerate()
        .map(|(small, by)| by.iter().map(|big| sizes[small] * sizes[*big]).sum::<usize>())
        .sum()
}
