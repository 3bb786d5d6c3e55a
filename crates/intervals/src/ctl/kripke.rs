//! The states that formulas speak about, with may- and must-steps between them, found by exploration.
//!
//! Steps that are no change of state are passed over: a run of must-steps is a must-step. A run that ends, or
//! goes on for ever without a change, stays in its last state. Where a run cannot be followed (a doubt, or
//! the limit of states), a state about which nothing is known stands for all that may come.

use super::explore::{Configuration, Doubt, Explorer, Move};
use crate::domain::number::Number;
use crate::domain::value::{Datum, Value};
use crate::map::Map;
use base::{Budget, Exhausted, Id, IndexVec, Span};
use program::{EdgeId, ProcedureId, VariableId};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

base::define_id!(
    /// A state of formulas.
    StateId,
    "s"
);

/// A step between states, with what happened on the way.
#[derive(Clone, Debug)]
pub struct Step {
    /// The state after the step.
    pub to: StateId,
    /// The edges taken, in order.
    pub edges: Rc<Vec<(ProcedureId, EdgeId)>>,
    /// The inputs taken, in order.
    pub inputs: Vec<Number>,
}

/// A state of the structure: a configuration at a change of state, or the one for what is not followed.
#[derive(Debug)]
pub struct Node {
    /// What is known in it; nothing for the state that stands for all that may come.
    pub configuration: Option<Configuration>,
    /// Steps that some concrete state may have.
    pub may: Vec<StateId>,
    /// Steps that all concrete states have.
    pub must: Vec<Step>,
    /// Can no counted run go on from here?
    pub is_dead: bool,
}

/// The states and steps.
#[derive(Debug)]
pub struct Kripke {
    /// All states; the first is where runs start.
    pub nodes: IndexVec<StateId, Node>,
    /// Where runs start.
    pub initial: StateId,
    /// Why runs could not be followed, each once.
    pub doubts: Vec<Doubt>,
    /// Conditions that stayed open.
    pub open: Vec<Span>,
    /// Variables in them with the values where they change.
    pub blamed: FxHashSet<(VariableId, i128)>,
    /// Was the limit of states reached?
    pub is_cut: bool,
}

/// Silent steps in a row after which a run is not followed further.
const MOST_SILENT: usize = 20_000;

fn hash_map(map: &Map<Datum>, hasher: &mut FxHasher) {
    map.for_each(&mut |key, datum| {
        key.hash(hasher);
        match &datum.value {
            Value::Integer(number) => number.hash(hasher),
            Value::Pointer(pointers) => pointers.hash(hasher),
            Value::Float(range) => range.low.to_bits().hash(hasher),
        }
    });
}

fn fingerprint(configuration: &Configuration) -> u64 {
    let mut hasher = FxHasher::default();
    (configuration.procedure, configuration.node).hash(&mut hasher);
    for caller in &configuration.callers {
        (caller.procedure, caller.edge).hash(&mut hasher);
        hash_map(&caller.state.locals, &mut hasher);
    }
    hash_map(&configuration.state.locals, &mut hasher);
    hash_map(&configuration.state.globals, &mut hasher);
    hash_map(&configuration.state.memory, &mut hasher);
    hasher.finish()
}

/// A configuration passed on the way from a state, with how it was reached.
struct Passed {
    configuration: Configuration,
    is_must: bool,
    edges: Rc<Vec<(ProcedureId, EdgeId)>>,
    inputs: Vec<Number>,
}

/// Which nodes are left when nodes without a way in are taken away again and again.
fn in_circles(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<bool> {
    let edges: Vec<(usize, usize)> = edges.collect();
    let mut into = vec![0usize; count];
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(from, to) in &edges {
        into[to] += 1;
        out[from].push(to);
    }
    let mut free: Vec<usize> = (0..count).filter(|&node| into[node] == 0).collect();
    let mut left = vec![true; count];
    while let Some(node) = free.pop() {
        left[node] = false;
        for &to in &out[node] {
            into[to] -= 1;
            if into[to] == 0 {
                free.push(to);
            }
        }
    }
    left
}

fn has_circle(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> bool {
    in_circles(count, edges).contains(&true)
}

/// The way to a configuration from which must-steps lead in a circle.
fn circle_edges(
    all: &[Passed],
    edges: impl Iterator<Item = (usize, usize)>,
) -> Option<Rc<Vec<(ProcedureId, EdgeId)>>> {
    let left = in_circles(all.len(), edges);
    (0..all.len()).find(|&node| left[node] && all[node].is_must).map(|node| all[node].edges.clone())
}

struct Builder<'a, 'b, 'p> {
    explorer: &'a Explorer<'b, 'p>,
    kripke: Kripke,
    known: FxHashMap<u64, Vec<StateId>>,
    unknown: Option<StateId>,
    waiting: std::collections::VecDeque<StateId>,
}

/// Explores from a configuration, up to so many states.
pub fn build(
    explorer: &Explorer<'_, '_>,
    start: Configuration,
    limit: usize,
    budget: &Budget,
) -> Result<Kripke, Exhausted> {
    let kripke = Kripke {
        nodes: IndexVec::new(),
        initial: StateId::from_index(0),
        doubts: Vec::new(),
        open: Vec::new(),
        blamed: FxHashSet::default(),
        is_cut: false,
    };
    let mut builder =
        Builder { explorer, kripke, known: FxHashMap::default(), unknown: None, waiting: Default::default() };
    builder.kripke.initial = builder.state(start);
    while let Some(state) = builder.waiting.pop_front() {
        budget.check()?;
        if builder.kripke.nodes.len() >= limit {
            builder.kripke.is_cut = true;
            let unknown = builder.unknown_state();
            builder.kripke.nodes[state].may.push(unknown);
            continue;
        }
        builder.expand(state);
    }
    Ok(builder.kripke)
}

impl Builder<'_, '_, '_> {
    fn state(&mut self, configuration: Configuration) -> StateId {
        let print = fingerprint(&configuration);
        let same = self.known.entry(print).or_default();
        let nodes = &self.kripke.nodes;
        if let Some(&found) =
            same.iter().find(|&&id| nodes[id].configuration.as_ref() == Some(&configuration))
        {
            return found;
        }
        let node =
            Node { configuration: Some(configuration), may: Vec::new(), must: Vec::new(), is_dead: false };
        let id = self.kripke.nodes.push(node);
        same.push(id);
        self.waiting.push_back(id);
        id
    }

    fn unknown_state(&mut self) -> StateId {
        if let Some(known) = self.unknown {
            return known;
        }
        let id = self.kripke.nodes.push(Node {
            configuration: None,
            may: Vec::new(),
            must: Vec::new(),
            is_dead: false,
        });
        self.kripke.nodes[id].may.push(id);
        self.unknown = Some(id);
        id
    }

    /// Follows silent steps from a state to the next ones.
    fn expand(&mut self, from: StateId) {
        let start = self.kripke.nodes[from].configuration.clone().expect("only known states wait");
        let mut seen: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        // Configurations passed on the way, and the silent steps between them: (from, to, is it a must-step).
        let mut all =
            vec![Passed { configuration: start, is_must: true, edges: Rc::default(), inputs: Vec::new() }];
        let mut silent: Vec<(usize, usize, bool)> = Vec::new();
        let (mut may, mut must): (Vec<StateId>, Vec<Step>) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < all.len() {
            if at > MOST_SILENT {
                self.note(Doubt {
                    why: "too many steps without a change of state".into(),
                    span: Span::NOWHERE,
                });
                may.push(self.unknown_state());
                break;
            }
            let moves = self.explorer.next(&all[at].configuration);
            if let Some(doubt) = moves.doubt {
                self.note(doubt);
                may.push(self.unknown_state());
            }
            if let Some(open) = moves.open.filter(|open| !self.kripke.open.contains(open)) {
                self.kripke.open.push(open);
            }
            self.kripke.blamed.extend(moves.blamed);
            let (edges_before, inputs_before, was_must) =
                (all[at].edges.clone(), all[at].inputs.clone(), all[at].is_must);
            if let Some(is_must) = moves.ends {
                // The run ends: it stays in its last state.
                may.push(from);
                if is_must && was_must {
                    must.push(Step { to: from, edges: edges_before.clone(), inputs: inputs_before.clone() });
                }
            }
            for Move { edge, to, is_must, is_visible, inputs } in moves.moves {
                let mut edges = edges_before.clone();
                if let Some(edge) = edge {
                    Rc::make_mut(&mut edges).push(edge);
                }
                let mut all_inputs = inputs_before.clone();
                all_inputs.extend(inputs);
                let is_must_all = is_must && was_must;
                if is_visible {
                    let to = self.state(to);
                    may.push(to);
                    if is_must_all {
                        must.push(Step { to, edges, inputs: all_inputs });
                    }
                    continue;
                }
                let same = seen.entry(fingerprint(&to)).or_default();
                let known = same.iter().copied().find(|&other| all[other].configuration == to);
                let target = known.unwrap_or(all.len());
                silent.push((at, target, is_must));
                if known.is_none() {
                    same.push(target);
                    all.push(Passed { configuration: to, is_must: is_must_all, edges, inputs: all_inputs });
                }
            }
            at += 1;
        }
        // A circle of silent steps is a run that goes on for ever without a change.
        if has_circle(all.len(), silent.iter().map(|&(from, to, _)| (from, to))) {
            may.push(from);
        }
        let sure = silent.iter().filter(|&&(one, _, is_must)| is_must && all[one].is_must);
        if let Some(edges) = circle_edges(&all, sure.map(|&(from, to, _)| (from, to))) {
            must.push(Step { to: from, edges, inputs: Vec::new() });
        }
        may.sort_unstable();
        may.dedup();
        let node = &mut self.kripke.nodes[from];
        node.is_dead = may.is_empty();
        (node.may, node.must) = (may, must);
    }

    fn note(&mut self, doubt: Doubt) {
        if !self.kripke.doubts.contains(&doubt) {
            self.kripke.doubts.push(doubt);
        }
    }
}
