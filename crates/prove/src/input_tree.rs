//! Runs that violate a formula, by all inputs of a few values: which states a program has where it asks for the next input,
//! and which input leads from which to which. On that graph, times the automaton of what the formula forbids, an accepting
//! cycle is searched; the inputs that lead there and round are then run by `lassos`, which judges the run by the formula.
//!
//! Explicit-state search for accepting cycles (Vardi, Wolper 1986), on real runs. For programs that read small numbers again
//! and again, where most inputs end in an assumption that does not hold, so that drawn ones lead nowhere.
//! DIVERGENCE: strongly connected components, made again when the graph has doubled.
//!
//! Nothing is proved by a graph in which nothing is found: other inputs may lead elsewhere.

use crate::candidates::constants;
use crate::lassos::{Effort, MANY_RUNS, Searched, violating_run};
use crate::recurrence::{heads_of, settings};
use base::{Budget, Event, EventSink, Id};
use concrete::{Discarded, InputShape, InputTrouble, Inputs, Interpreter, Observer, StateSeen, Step};
use program::{NodeId, ProcedureId};
use question::Violation;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use temporal::{Observed, PositionSeen};

/// Values that are tried for each input.
const MOST_VALUES: usize = 14;
/// States that are kept.
const MOST_STATES: usize = 60_000;
/// Steps between two inputs.
const MOST_STEPS: u64 = 200_000;
/// Cycles that are run before another part of the graph is made.
const MOST_CYCLES: usize = 12;

base::define_id!(
    /// A state where the next input is asked for.
    Asking,
    "s"
);
base::define_id!(
    /// Such a state times a state of the automaton.
    Pair,
    "p"
);

struct State {
    /// By which input, from where.
    from: Option<(Asking, u128)>,
    /// The position that the run is in.
    position: PositionSeen,
    /// How many positions there were.
    count: usize,
}

/// An input that leads from one state to another, with the positions that are left on the way.
struct Move {
    to: Asking,
    value: u128,
    left: Vec<PositionSeen>,
}

struct Tree<'t, 's> {
    searched: &'t Searched<'s>,
    interpreter: Interpreter<'t>,
    heads: FxHashSet<(ProcedureId, NodeId)>,
    name: Option<Arc<str>>,
    states: Vec<State>,
    moves: Vec<Vec<Move>>,
    known: FxHashMap<u128, Asking>,
    tried: FxHashSet<Vec<u128>>,
}

/// Searches for a run that violates the formula.
pub fn violation_by_few_values(
    searched: &Searched<'_>,
    budget: &Budget,
    events: &dyn EventSink,
) -> Option<Box<Violation>> {
    if !searched.observed.is_about_conditions() {
        return None;
    }
    let program = &searched.observed.program;
    let mut tree = Tree {
        searched,
        interpreter: Interpreter::new(program),
        heads: heads_of(program),
        name: None,
        states: Vec::new(),
        moves: Vec::new(),
        known: FxHashMap::default(),
        tried: FxHashSet::default(),
    };
    let values = values_of(searched);
    tree.run(None, budget)?;
    let mut next = 0;
    let mut look_at = 32;
    while next < tree.states.len() && tree.states.len() < MOST_STATES && budget.check().is_ok() {
        for &value in &values {
            let _ = tree.run(Some((Asking::from_index(next), value)), budget);
        }
        next += 1;
        if next == look_at || next == tree.states.len() {
            look_at *= 2;
            events.emit(Event::Count { what: "states at inputs", value: tree.states.len() as u64 });
            if let Some(violation) = tree.accepting_run(budget, events) {
                return Some(violation);
            }
        }
    }
    None
}

/// Small numbers, and those of the program.
fn values_of(searched: &Searched<'_>) -> Vec<u128> {
    let program = &searched.observed.program;
    let every: Vec<ProcedureId> = program.procedures.ids().collect();
    let mut values: Vec<i128> = (0..=6).collect();
    for number in constants(program, &every) {
        if values.len() < MOST_VALUES && !values.contains(&number) {
            values.push(number);
        }
    }
    values.into_iter().map(|value| value as u128).collect()
}

impl Tree<'_, '_> {
    fn inputs_to(&self, state: Asking) -> Vec<u128> {
        let mut inputs = Vec::new();
        let mut at = state;
        while let Some((from, value)) = self.states[at.index()].from {
            inputs.push(value);
            at = from;
        }
        inputs.reverse();
        inputs
    }

    /// Runs up to the next input behind these, and notes the state there.
    fn run(&mut self, from: Option<(Asking, u128)>, budget: &Budget) -> Option<Asking> {
        let mut given = from.map_or_else(Vec::new, |(state, _)| self.inputs_to(state));
        given.extend(from.map(|(_, value)| value));
        let mut inputs = Few { given: &given, next: 0, asked: None };
        let mut watch = Watch {
            observed: self.searched.observed,
            heads: &self.heads,
            inputs: given.len(),
            positions: Vec::new(),
            last: None,
        };
        let run_settings = settings(&self.searched.code, budget, MOST_STEPS * (given.len() as u64 + 1));
        let made = self.interpreter.watch(&run_settings, &mut Discarded, &mut inputs, &mut watch);
        let name = inputs.asked?;
        // Inputs of several names cannot be told apart here.
        if *self.name.get_or_insert_with(|| name.clone()) != name || !made.tolerated.is_empty() {
            return None;
        }
        let (seen, count) = watch.last?;
        let position = watch.positions.last()?.clone();
        let to = match self.known.get(&seen.digest) {
            Some(&known) => known,
            None => {
                let id = Asking::from_index(self.states.len());
                self.states.push(State { from, position, count });
                self.moves.push(Vec::new());
                self.known.insert(seen.digest, id);
                id
            }
        };
        if let Some((state, value)) = from {
            // The position that the run was in is left, if another began.
            let before = self.states[state.index()].count;
            let left = watch.positions.get(before - 1..count - 1).unwrap_or_default().to_vec();
            self.moves[state.index()].push(Move { to, value, left });
        }
        Some(to)
    }

    /// The states of the automaton behind some positions, each with whether a mark was passed.
    fn read_all(&self, state: usize, positions: &[PositionSeen]) -> Vec<(usize, bool)> {
        let mut now: Vec<(usize, bool)> = vec![(state, false)];
        for position in positions {
            let mut next = Vec::new();
            for (state, is_marked) in now {
                for (to, marks) in self.searched.observed.read(state, position) {
                    if !next.contains(&(to, is_marked | marks)) {
                        next.push((to, is_marked | marks));
                    }
                }
            }
            now = next;
        }
        now
    }

    /// Looks for an accepting cycle, and runs it.
    fn accepting_run(&mut self, budget: &Budget, events: &dyn EventSink) -> Option<Box<Violation>> {
        // The automaton has read all positions but the one that the run is in.
        let first = (Asking::from_index(0), self.searched.observed.first_state());
        let mut numbers: FxHashMap<(Asking, usize), Pair> = FxHashMap::default();
        let mut pairs: Vec<(Asking, usize)> = Vec::new();
        let mut edges: Vec<Vec<(Pair, u128, bool, bool)>> = Vec::new();
        let mut before: Vec<Option<(Pair, u128)>> = Vec::new();
        let start: Vec<PositionSeen> = self.positions_before_first(budget);
        for (state, _) in self.read_all(first.1, &start) {
            let pair = (first.0, state);
            numbers.entry(pair).or_insert_with(|| {
                pairs.push(pair);
                before.push(None);
                Pair::from_index(pairs.len() - 1)
            });
        }
        while edges.len() < pairs.len() {
            budget.check().ok()?;
            let here = Pair::from_index(edges.len());
            let (state, reading) = pairs[edges.len()];
            let mut own = Vec::new();
            for one in &self.moves[state.index()] {
                for (to, is_marked) in self.read_all(reading, &one.left) {
                    let count = pairs.len();
                    let number = *numbers.entry((one.to, to)).or_insert_with(|| {
                        pairs.push((one.to, to));
                        before.push(Some((here, one.value)));
                        Pair::from_index(count)
                    });
                    own.push((number, one.value, is_marked, one.left.is_empty()));
                }
            }
            edges.push(own);
        }
        let all: Vec<Pair> = (0..pairs.len()).map(Pair::from_index).collect();
        let mut search = base::graph::Search::new(all.len());
        let parts = search.run(all, |pair: Pair| edges[pair.index()].iter().map(|edge| edge.0));
        let mut part_of = vec![0; pairs.len()];
        for (number, part) in parts.iter().enumerate() {
            part.iter().for_each(|pair| part_of[pair.index()] = number);
        }
        let mut cycles = 0;
        for from in 0..edges.len() {
            for &(to, value, is_marked, is_silent) in &edges[from] {
                let stays = is_silent && {
                    let (state, reading) = pairs[from];
                    let position = &self.states[state.index()].position;
                    self.searched.observed.accepts_staying(reading, position)
                };
                if part_of[from] != part_of[to.index()] || !(is_marked || stays) {
                    continue;
                }
                let stem = path(&before, Pair::from_index(from));
                let Some(back) = way_back(&edges, &part_of, to, Pair::from_index(from)) else { continue };
                let mut cycle = vec![value];
                cycle.extend(back);
                let mut inputs = stem;
                (0..4).for_each(|_| inputs.extend(&cycle));
                if !self.tried.insert(inputs.clone()) {
                    continue;
                }
                if let Some(violation) = self.confirmed(&inputs, budget, events) {
                    return Some(violation);
                }
                cycles += 1;
                if cycles >= MOST_CYCLES {
                    return None;
                }
            }
        }
        None
    }

    fn positions_before_first(&self, budget: &Budget) -> Vec<PositionSeen> {
        let mut inputs = Few { given: &[], next: 0, asked: None };
        let mut watch = Watch {
            observed: self.searched.observed,
            heads: &self.heads,
            inputs: 0,
            positions: Vec::new(),
            last: None,
        };
        let run_settings = settings(&self.searched.code, budget, MOST_STEPS);
        self.interpreter.watch(&run_settings, &mut Discarded, &mut inputs, &mut watch);
        let count = watch.last.map_or(1, |(_, count)| count);
        watch.positions.truncate(count.saturating_sub(1));
        watch.positions
    }

    fn confirmed(&self, inputs: &[u128], budget: &Budget, events: &dyn EventSink) -> Option<Box<Violation>> {
        let name = self.name.clone()?;
        let given: Vec<(Arc<str>, u128)> = inputs.iter().map(|&bits| (name.clone(), bits)).collect();
        violating_run(self.searched, &given, Effort { runs: 1, ..MANY_RUNS }, budget, events)
    }
}

/// The inputs that lead to a pair.
fn path(before: &[Option<(Pair, u128)>], to: Pair) -> Vec<u128> {
    let mut inputs = Vec::new();
    let mut at = to;
    while let Some((from, value)) = before[at.index()] {
        inputs.push(value);
        at = from;
    }
    inputs.reverse();
    inputs
}

/// The inputs of a shortest way inside a part.
fn way_back(
    edges: &[Vec<(Pair, u128, bool, bool)>],
    part_of: &[usize],
    from: Pair,
    to: Pair,
) -> Option<Vec<u128>> {
    let mut before: FxHashMap<Pair, Option<(Pair, u128)>> = FxHashMap::default();
    before.insert(from, None);
    let mut open = std::collections::VecDeque::from([from]);
    while let Some(at) = open.pop_front() {
        if at == to {
            let mut inputs = Vec::new();
            let mut here = at;
            while let Some((earlier, value)) = before[&here] {
                inputs.push(value);
                here = earlier;
            }
            inputs.reverse();
            return Some(inputs);
        }
        for &(next, value, ..) in &edges[at.index()] {
            if part_of[next.index()] == part_of[to.index()] && !before.contains_key(&next) {
                before.insert(next, Some((at, value)));
                open.push_back(next);
            }
        }
    }
    None
}

/// Inputs up to one that is not there.
struct Few<'i> {
    given: &'i [u128],
    next: usize,
    asked: Option<Arc<str>>,
}

impl Inputs for Few<'_> {
    fn next(&mut self, name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        let Some(&value) = self.given.get(self.next) else {
            self.asked = Some(Arc::from(name));
            return Err(InputTrouble::Exhausted);
        };
        self.next += 1;
        let width = shape.width();
        Ok(if width >= 128 { value } else { value & ((1 << width) - 1) })
    }
}

/// Keeps the last state at a head behind all inputs.
struct Watch<'w> {
    observed: &'w Observed,
    heads: &'w FxHashSet<(ProcedureId, NodeId)>,
    inputs: usize,
    positions: Vec<PositionSeen>,
    last: Option<(StateSeen, usize)>,
}

impl Observer for Watch<'_> {
    fn step(&mut self, step: Step) {
        let written = step.written.map(|written| written.bits);
        self.observed.step(&mut self.positions, (step.procedure, step.edge), written);
    }

    fn wants_state(&self, procedure: ProcedureId, node: NodeId) -> bool {
        self.heads.contains(&(procedure, node))
    }

    fn state(&mut self, seen: StateSeen) {
        if seen.inputs == self.inputs {
            self.last = Some((seen, self.positions.len()));
        }
    }
}
