//! The product of a system with an automaton, found on the fly. SELTL 3.1: where the system cannot go on, it
//! goes to ⊥ and stays there, so every run is infinite and finite maximal paths are the runs that end in ⊥.

use super::fair::FairActions;
use crate::stopped::Stopped;
use automata::{Automaton, Location, Marks, Variable};
use base::{Id, IndexVec, define_id};
use indexmap::IndexSet;
use lks::{ActionId, PropositionId, Successors};
use question::Monitor;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;
use verdict::Reason;

define_id!(
    /// A state of the system that was met.
    MetState,
    "m"
);

define_id!(
    /// A state of the product that was met.
    Node,
    "n"
);

/// What an atom of the automaton asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomMeaning {
    /// Does the proposition hold?
    Proposition(PropositionId),
    /// Is this the event by which the state is left?
    Event(ActionId),
    /// Is this ⊥? SELTL: dk.
    Stopped,
    /// The system knows no such thing.
    Never,
}

/// A step of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProductEdge {
    /// The event; `None` for the step into or inside ⊥.
    pub event: Option<ActionId>,
    pub to: Node,
    pub marks: Marks,
}

/// The transitions of one state.
type Moves = Box<[(ActionId, MetState)]>;

pub(super) struct Product<'a, S: Successors> {
    pub system: &'a S,
    automaton: &'a Automaton,
    meaning: Vec<AtomMeaning>,
    fairness: FairActions,
    states: IndexSet<S::State, FxBuildHasher>,
    /// The transitions of states that were expanded.
    transitions: IndexVec<MetState, Option<Moves>>,
    nodes: IndexVec<Node, (Option<MetState>, Location)>,
    numbers: FxHashMap<(Option<MetState>, Location), Node>,
    /// Steps of the product that were looked at.
    pub edges_seen: usize,
    /// The search gives up past this many nodes.
    pub most_nodes: Option<usize>,
}

impl<'a, S: Successors> Product<'a, S> {
    pub fn new(
        system: &'a S,
        automaton: &'a Automaton,
        meaning: Vec<AtomMeaning>,
        fairness: FairActions,
    ) -> Product<'a, S> {
        Product {
            system,
            automaton,
            meaning,
            fairness,
            states: IndexSet::default(),
            transitions: IndexVec::new(),
            nodes: IndexVec::new(),
            numbers: FxHashMap::default(),
            edges_seen: 0,
            most_nodes: None,
        }
    }

    /// The marks a cycle must carry: the automaton's, then one per weak fairness constraint.
    pub fn all_marks(&self) -> Marks {
        Marks::all(self.automaton.marks + self.fairness.weak.len() as u32)
    }

    /// May the search go on?
    pub fn check(&self, monitor: Monitor<'_>) -> Result<(), Stopped> {
        monitor.count("states of the product", self.nodes.len());
        monitor.check()?;
        match self.most_nodes {
            Some(most) if self.nodes.len() > most => {
                let what = "states of the product with the automaton";
                Err(Stopped::because(Reason::SizeLimit { what, limit: most as u64 }))
            }
            _ => Ok(()),
        }
    }

    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    pub fn state_count(&self) -> usize {
        self.states.len()
    }

    /// Is the node accepting, where acceptance is a matter of states?
    pub fn is_accepting(&self, node: Node) -> bool {
        let (_, location) = self.nodes[node];
        self.automaton.marks == 0
            || self.automaton.edges[location].first().is_some_and(|edge| edge.marks != Marks::NONE)
    }

    /// The system's state at a node; `None` for ⊥.
    pub fn state_at(&self, node: Node) -> Option<&S::State> {
        self.nodes[node].0.map(|met| &self.states[met.index()])
    }

    /// Which strong fairness constraints are enabled at the node: one of their actions is possible.
    pub fn enabled(&mut self, node: Node) -> SmallVec<[bool; 4]> {
        let Some(met) = self.nodes[node].0 else {
            return SmallVec::from_elem(false, self.fairness.strong.len());
        };
        self.expand(met);
        let transitions = self.transitions[met].as_deref().expect("just expanded");
        self.fairness
            .strong
            .iter()
            .map(|actions| transitions.iter().any(|(action, _)| actions[*action]))
            .collect()
    }

    /// Which strong fairness constraints the event serves.
    pub fn serves(&self, event: Option<ActionId>) -> SmallVec<[bool; 4]> {
        self.fairness.strong.iter().map(|actions| event.is_some_and(|event| actions[event])).collect()
    }

    pub fn has_strong_fairness(&self) -> bool {
        !self.fairness.strong.is_empty()
    }

    pub fn has_fair_choice(&self) -> bool {
        self.fairness.choice
    }

    /// Do these steps take every transition of the system's states at these nodes?
    pub fn leaves_nothing_out(&self, steps: impl Iterator<Item = (Node, ProductEdge)>) -> bool {
        let mut taken: FxHashMap<MetState, FxHashSet<(ActionId, MetState)>> = FxHashMap::default();
        for (from, edge) in steps {
            if let (Some(met), Some(event), Some(to)) =
                (self.nodes[from].0, edge.event, self.nodes[edge.to].0)
            {
                taken.entry(met).or_default().insert((event, to));
            }
        }
        taken.iter().all(|(met, taken)| {
            let all = self.transitions[*met].as_deref().expect("steps were taken from it");
            all.iter().all(|transition| taken.contains(transition))
        })
    }

    pub fn initial(&mut self) -> Vec<Node> {
        let states = self.system.initial_states();
        states
            .into_iter()
            .map(|state| {
                let met = self.meet(state);
                self.node(Some(met), self.automaton.initial)
            })
            .collect()
    }

    fn meet(&mut self, state: S::State) -> MetState {
        let (index, is_new) = self.states.insert_full(state);
        if is_new {
            self.transitions.push(None);
        }
        MetState::from_index(index)
    }

    fn node(&mut self, state: Option<MetState>, location: Location) -> Node {
        *self.numbers.entry((state, location)).or_insert_with(|| self.nodes.push((state, location)))
    }

    fn expand(&mut self, met: MetState) {
        if self.transitions[met].is_some() {
            return;
        }
        let mut successors = Vec::new();
        self.system.successors(&self.states[met.index()].clone(), &mut successors);
        let moves = successors.into_iter().map(|(action, state)| (action, self.meet(state))).collect();
        self.transitions[met] = Some(moves);
    }

    /// The steps from a node, in a fixed order.
    pub fn successors(&mut self, node: Node) -> Vec<ProductEdge> {
        let (state, location) = self.nodes[node];
        let mut edges = Vec::new();
        let moves: SmallVec<[(Option<ActionId>, Option<MetState>); 8]> = match state {
            None => SmallVec::from_slice(&[(None, None)]),
            Some(met) => {
                self.expand(met);
                let transitions = self.transitions[met].as_deref().expect("just expanded");
                match transitions {
                    [] => SmallVec::from_slice(&[(None, None)]),
                    _ => transitions.iter().map(|(action, to)| (Some(*action), Some(*to))).collect(),
                }
            }
        };
        let label = state.map(|met| self.system.label(&self.states[met.index()]));
        let enabled: SmallVec<[bool; 4]> = self
            .fairness
            .weak
            .iter()
            .map(|actions| moves.iter().any(|(event, _)| event.is_some_and(|event| actions[event])))
            .collect();
        for (event, to) in moves {
            let holds = |variable: Variable| match self.meaning[variable.index()] {
                AtomMeaning::Proposition(id) => label.as_ref().is_some_and(|label| label.contains(id)),
                AtomMeaning::Event(action) => event == Some(action),
                AtomMeaning::Stopped => state.is_none(),
                AtomMeaning::Never => false,
            };
            let mut fair = Marks::NONE;
            for (index, actions) in self.fairness.weak.iter().enumerate() {
                // Weakly fair: taken, or not possible here. ⊥ is always fair.
                if !enabled[index] || event.is_some_and(|event| actions[event]) {
                    fair = fair.union(Marks::only(self.automaton.marks + index as u32));
                }
            }
            let taken: SmallVec<[(Location, Marks); 4]> = self.automaton.edges[location]
                .iter()
                .filter(|edge| self.automaton.guards.evaluate(edge.guard, holds))
                .map(|edge| (edge.to, edge.marks.union(fair)))
                .collect();
            for (next, marks) in taken {
                self.edges_seen += 1;
                let to = self.node(to, next);
                edges.push(ProductEdge { event, to, marks });
            }
        }
        edges
    }
}
