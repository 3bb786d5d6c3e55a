//! Several violating runs of a formula on one abstract system (THESIS 6.5, for SE-LTL): the engines give one;
//! here the product with the automaton of the negated formula is searched for others. Runs differ where it
//! tells: by the step at which the automaton makes up its mind, by the cycle they end in, by an event of that
//! cycle; shortest first. The meaning of the formula is asked again for every run, as `check` does for its
//! own.

use super::witness::{Ending, Witness, joint_step};
use automata::{Acceptance, Automaton, Location, Marks, translate};
use base::{Budget, Id};
use check::temporal::meaning::{MaximalPath, Position};
use check::temporal::with_finite_paths;
use indexmap::{IndexMap, IndexSet};
use lks::{ActionId, Composition, PropositionId, Successors, SystemState};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use spec::{Atom, Formula};
use std::collections::VecDeque;

/// States of the product that are looked at.
const MOST_NODES: usize = 100_000;

/// Up to `most` violating runs of the parts, different from these.
pub(super) fn other_violations(
    system: &Composition,
    parts: usize,
    formula: &Formula,
    known: &[Witness],
    most: usize,
    budget: &Budget,
) -> Vec<Witness> {
    let (completed, names) = with_finite_paths(formula);
    // A formula too large for an automaton has had its one run from another engine.
    let Ok(automaton) = translate(&completed.negated(), &names, Acceptance::Generalised, budget) else {
        return Vec::new();
    };
    let Some(product) = Product::explored(system, &automaton, formula, budget) else { return Vec::new() };
    let cycles = Cycles::of(&product);
    let mut runs: Vec<Witness> = Vec::new();
    for lasso in candidates(&product, &cycles) {
        if runs.len() == most || budget.check().is_err() {
            break;
        }
        let is_new = |run: &Witness| {
            let mut others = known.iter().chain(&runs);
            !others.any(|other| {
                other.start == run.start && other.ending == run.ending && other.moves() == run.moves()
            })
        };
        if let Some(run) = product.run(&lasso, parts, formula)
            && is_new(&run)
        {
            runs.push(run);
        }
    }
    runs
}

/// What an atom of the automaton asks.
#[derive(Clone, Copy)]
enum Meaning {
    Proposition(PropositionId),
    Event(ActionId),
    Stopped,
    Never,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    /// None: the run has stopped (SELTL 3.1: it stays in ⊥).
    event: Option<ActionId>,
    to: usize,
    marks: Marks,
}

/// A state of the system, none once it has stopped, and one of the automaton.
type Node = (Option<usize>, Location);

struct Product<'a> {
    system: &'a Composition,
    automaton: &'a Automaton,
    states: IndexSet<SystemState, FxBuildHasher>,
    /// The nodes, nearest first, each with the node and the step by which it was found.
    nodes: IndexMap<Node, Option<(usize, Step)>, FxBuildHasher>,
    steps: Vec<Vec<Step>>,
}

impl<'a> Product<'a> {
    fn explored(
        system: &'a Composition,
        automaton: &'a Automaton,
        formula: &Formula,
        budget: &Budget,
    ) -> Option<Product<'a>> {
        let mut meaning: Vec<Meaning> = formula
            .atoms()
            .iter()
            .map(|atom| match atom {
                Atom::Proposition(name) => {
                    system.propositions().find(name).map_or(Meaning::Never, Meaning::Proposition)
                }
                Atom::Event(name) => system.alphabet().find(name).map_or(Meaning::Never, Meaning::Event),
            })
            .collect();
        meaning.push(Meaning::Stopped);
        let (states, nodes) = Default::default();
        let mut product = Product { system, automaton, states, nodes, steps: Vec::new() };
        for state in system.initial_states() {
            let (state, _) = product.states.insert_full(state);
            product.nodes.entry((Some(state), automaton.initial)).or_insert(None);
        }
        let mut out = Vec::new();
        while product.steps.len() < product.nodes.len() && product.nodes.len() < MOST_NODES {
            let at = product.steps.len();
            if at.is_multiple_of(256) && budget.check().is_err() {
                return None;
            }
            let (&(state, location), _) = product.nodes.get_index(at)?;
            let mut moves: Vec<(Option<ActionId>, Option<usize>)> = Vec::new();
            if let Some(state) = state {
                system.successors(&product.states[state].clone(), &mut out);
                for (action, to) in out.drain(..) {
                    moves.push((Some(action), Some(product.states.insert_full(to).0)));
                }
            }
            if moves.is_empty() {
                moves.push((None, None));
            }
            let label = state.map(|state| system.label(&product.states[state]));
            let mut own = Vec::new();
            for (event, next) in moves {
                let holds = |variable: automata::Variable| match meaning[variable.index()] {
                    Meaning::Proposition(id) => label.as_ref().is_some_and(|label| label.contains(id)),
                    Meaning::Event(action) => event == Some(action),
                    Meaning::Stopped => state.is_none(),
                    Meaning::Never => false,
                };
                for edge in &automaton.edges[location] {
                    if automaton.guards.evaluate(edge.guard, holds) {
                        let entry = product.nodes.entry((next, edge.to));
                        let step = Step { event, to: entry.index(), marks: edge.marks };
                        entry.or_insert(Some((at, step)));
                        own.push(step);
                    }
                }
            }
            product.steps.push(own);
        }
        // Past the limit nothing is known of what follows.
        product.steps.resize(product.nodes.len(), Vec::new());
        Some(product)
    }

    fn all_marks(&self) -> Marks {
        Marks::all(self.automaton.marks)
    }

    fn location(&self, node: usize) -> Location {
        self.nodes.get_index(node).expect("it was found").0.1
    }

    /// The way on which a node was found.
    fn way_to(&self, node: usize) -> (usize, Vec<Step>) {
        let (mut at, mut way) = (node, Vec::new());
        while let Some((before, step)) = self.nodes[at] {
            way.push(step);
            at = before;
        }
        way.reverse();
        (at, way)
    }

    /// A shortest walk whose last step is wanted, by nodes that may be passed.
    fn walk(
        &self,
        from: usize,
        may_pass: impl Fn(usize) -> bool,
        wanted: impl Fn(&Step) -> bool,
    ) -> Option<Vec<Step>> {
        let mut before: FxHashMap<usize, (usize, Step)> = FxHashMap::default();
        let mut seen: FxHashSet<usize> = FxHashSet::from_iter([from]);
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for &step in self.steps[node].iter().filter(|step| may_pass(step.to)) {
                if wanted(&step) {
                    let (mut way, mut at) = (vec![step], node);
                    while let Some(&(earlier, step)) = before.get(&at) {
                        way.push(step);
                        at = earlier;
                    }
                    way.reverse();
                    return Some(way);
                }
                if seen.insert(step.to) {
                    before.insert(step.to, (node, step));
                    queue.push_back(step.to);
                }
            }
        }
        None
    }

    /// The run of the system behind a lasso; none if it does not violate the formula, which would be a
    /// mistake of ours.
    fn run(&self, lasso: &Lasso, parts: usize, formula: &Formula) -> Option<Witness> {
        let state_at = |node: usize| {
            let (&(state, _), _) = self.nodes.get_index(node)?;
            state.map(|state| &self.states[state])
        };
        let (system, mut at) = (self.system, state_at(lasso.start)?);
        let mut witness = Witness {
            start: system.component_states(at).iter().take(parts).copied().collect(),
            steps: Vec::new(),
            ending: Ending::Stuck,
            is_partial: false,
            is_fair: false,
            why: "the formula does not hold of this run".to_owned(),
        };
        let mut path = MaximalPath::default();
        let position = |state: &SystemState, event: Option<ActionId>| {
            let names =
                system.label(state).iter().map(|id| system.propositions().name(id).to_owned()).collect();
            Position {
                propositions: names,
                event: event.map(|event| system.alphabet().name(event).to_owned()),
            }
        };
        for (index, step) in lasso.stem.iter().chain(&lasso.cycle).enumerate() {
            let Some(event) = step.event else { break };
            if index == lasso.stem.len() {
                witness.ending = Ending::Cycle(witness.steps.len());
            }
            let next = state_at(step.to)?;
            let side = if witness.ending == Ending::Stuck { &mut path.stem } else { &mut path.cycle };
            side.push(position(at, Some(event)));
            let parent = witness.steps.len().checked_sub(1);
            let mut joint = joint_step(system, at, next, system.alphabet().name(event), parent)?;
            joint.moves.retain(|own| own.part < parts);
            witness.steps.push(joint);
            at = next;
        }
        if witness.ending == Ending::Stuck {
            path.stem.push(position(at, None));
        }
        (!path.satisfies(formula)).then_some(witness)
    }
}

/// An accepting run: `start stem cycle cycle …`.
struct Lasso {
    start: usize,
    stem: Vec<Step>,
    cycle: Vec<Step>,
}

base::define_id!(
    /// A node of the product.
    ProductNode,
    "node"
);

/// Strongly connected parts of the product in which a run can accept.
struct Cycles {
    /// The accepting part of each node, if it lies in one.
    of: Vec<Option<usize>>,
    /// The node of each that was found first.
    first: Vec<usize>,
}

impl Cycles {
    fn of(product: &Product<'_>) -> Cycles {
        let mut cycles = Cycles { of: vec![None; product.steps.len()], first: Vec::new() };
        let after = |node: ProductNode| {
            product.steps[node.index()].iter().map(|step| ProductNode::from_index(step.to))
        };
        let nodes = (0..product.steps.len()).map(ProductNode::from_index);
        for members in base::graph::components(product.steps.len(), nodes, after).iter() {
            let members: Vec<usize> = members.iter().map(|member| member.index()).collect();
            cycles.note(product, &members);
        }
        cycles
    }

    /// Notes a part if a run can stay in it and accept.
    fn note(&mut self, product: &Product<'_>, members: &[usize]) {
        let inside: FxHashSet<usize> = members.iter().copied().collect();
        let inner = || {
            let steps = members.iter().flat_map(|&member| &product.steps[member]);
            steps.filter(|step| inside.contains(&step.to))
        };
        let marks = inner().fold(Marks::NONE, |marks, step| marks.union(step.marks));
        if inner().next().is_some() && marks == product.all_marks() {
            let part = self.first.len();
            members.iter().for_each(|&member| self.of[member] = Some(part));
            self.first.push(*members.iter().min().expect("a part is not empty"));
        }
    }

    /// A cycle through a node that carries all marks, and a certain event if that is wanted.
    fn through(&self, product: &Product<'_>, entry: usize, event: Option<ActionId>) -> Option<Vec<Step>> {
        let inside = |node: usize| self.of[node] == self.of[entry];
        let (mut at, mut cycle, mut missing) = (entry, Vec::new(), product.all_marks());
        let mut go = |way: Vec<Step>, missing: &mut Marks| {
            way.iter().for_each(|step| *missing = missing.without(step.marks));
            let at = way.last().map(|step| step.to);
            cycle.extend(way);
            at
        };
        if event.is_some() {
            at = go(product.walk(at, inside, |step| step.event == event)?, &mut missing)?;
        }
        while missing != Marks::NONE {
            let wanted = missing;
            let serves = |step: &Step| step.marks.intersection(wanted) != Marks::NONE;
            at = go(product.walk(at, inside, serves)?, &mut missing)?;
        }
        if at != entry || cycle.is_empty() {
            cycle.extend(product.walk(at, inside, |step| step.to == entry)?);
        }
        Some(cycle)
    }
}

/// Accepting runs, those first that differ most from the ones before them.
fn candidates<'a>(product: &'a Product<'_>, cycles: &'a Cycles) -> impl Iterator<Item = Lasso> + 'a {
    let lasso = |(start, mut stem): (usize, Vec<Step>), rest: Vec<Step>, event: Option<ActionId>| {
        stem.extend(rest);
        let entry = stem.last().map_or(start, |step| step.to);
        let cycle = cycles.through(product, entry, event)?;
        Some(Lasso { start, stem, cycle })
    };
    let (early, late) = turns(product);
    let by_turn = move |(node, step): StepFrom| {
        let together = product.automaton.components();
        let region = product.location(step.to);
        let may_pass = |other: usize| together.together(region, product.location(other));
        let mut rest = vec![step];
        if cycles.of[step.to].is_none() {
            rest.extend(product.walk(step.to, may_pass, |step| cycles.of[step.to].is_some())?);
        }
        lasso(product.way_to(node), rest, None)
    };
    let mut parts: Vec<usize> = cycles.first.clone();
    parts.sort_unstable();
    let by_part = parts.clone();
    let by_event = parts.into_iter().flat_map(move |first| {
        let inside = move |node: usize| cycles.of[node] == cycles.of[first];
        let mut events: Vec<ActionId> = (0..product.steps.len())
            .filter(|&node| inside(node))
            .flat_map(|node| product.steps[node].iter().filter(|step| inside(step.to)))
            .filter_map(|step| step.event.filter(|event| !event.is_silent()))
            .collect();
        events.sort_unstable();
        events.dedup();
        events.into_iter().filter_map(move |event| lasso(product.way_to(first), Vec::new(), Some(event)))
    });
    early
        .into_iter()
        .filter_map(by_turn)
        .chain(by_part.into_iter().filter_map(move |first| lasso(product.way_to(first), Vec::new(), None)))
        .chain(by_event)
        .chain(late.into_iter().filter_map(by_turn))
}

/// A step and the node that it leaves.
type StepFrom = (usize, Step);

/// The steps at which the automaton goes on for good, nearest first; those by an event that no earlier one
/// has come apart.
fn turns(product: &Product<'_>) -> (Vec<StepFrom>, Vec<StepFrom>) {
    let together = product.automaton.components();
    let mut events: FxHashSet<Option<ActionId>> = FxHashSet::default();
    let (mut early, mut late) = (Vec::new(), Vec::new());
    for (node, steps) in product.steps.iter().enumerate() {
        for &step in steps {
            if !together.together(product.location(node), product.location(step.to)) {
                let side = if events.insert(step.event) { &mut early } else { &mut late };
                side.push((node, step));
            }
        }
    }
    (early, late)
}
