//! Predicate abstraction: the abstract states of a component and the steps between them (THESIS 4.4),
//! reachable part only. An abstract step exists iff one concrete step shows it: one joint question for the
//! valuation before, the guard and the valuation after (SEEDS corrections 1 and 2), answered by the logic
//! layer's service, which remembers across refinements.
//! DIVERGENCE: where a state would have too many successors, states are *cubes*: what a step leaves open
//! stays open until something depends on it (`cubes`).
//!
//! Worked example: the step `x = x + 1` with the predicates `x > 0` and `x > 1` on both sides. From (T, ·)
//! some `x` leads to (T, T) and none to anything else; from (F, F) `x = 0` leads to (T, F) and `x = -1` to
//! (F, F); (F, T) is no state. So (F, F) has two successors, (T, F) and (T, T) one each.

use crate::component::{Component, EdgeId, NodeId};
use crate::cubes::{Cube, Diagrams};
use crate::predicates::PredicateMap;
use base::{Budget, Exhausted, Id, IndexVec};
use indexmap::IndexSet;
use lks::{ActionId, Lks, LksBuilder, StateId, StateMark};
use logic::TermId;
use logic::abstraction::{AbstractRelation, AbstractionService, AbstractionSettings};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// A location with the truth of its predicates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AbstractState {
    /// Where control is.
    pub node: NodeId,
    /// The truth of the location's predicates, in their order; none where either is possible.
    pub values: Cube,
}

/// How much a state says.
#[derive(Clone, Debug)]
pub enum Detail {
    /// The truth of every predicate.
    Every,
    /// The truth of the predicates that something has depended on, and always of these, by location.
    AsNeeded(IndexVec<NodeId, Vec<TermId>>),
}

/// A step of the abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AbstractStep {
    /// The state before it.
    pub from: StateId,
    /// Seen as.
    pub action: ActionId,
    /// The state after it.
    pub to: StateId,
}

/// The reachable part of a component's abstraction.
#[derive(Debug)]
pub struct Abstraction {
    /// As a structure.
    pub lks: Arc<Lks>,
    /// What its states stand for.
    pub states: Vec<AbstractState>,
    /// The steps of the component behind each transition.
    steps: FxHashMap<AbstractStep, Vec<EdgeId>>,
    /// States from which a step with a trouble may be taken.
    pub troubled: Vec<(StateId, EdgeId)>,
    /// How each state was first reached.
    reached_by: Vec<Option<(StateId, EdgeId)>>,
}

impl Abstraction {
    /// The steps of the component behind a transition.
    pub fn edges(&self, step: AbstractStep) -> &[EdgeId] {
        self.steps.get(&step).map_or(&[], Vec::as_slice)
    }

    /// A shortest way to a state.
    pub fn way_to(&self, state: StateId) -> Vec<EdgeId> {
        let mut way = Vec::new();
        let mut at = state;
        while let Some((before, edge)) = self.reached_by[at.index()] {
            way.push(edge);
            at = before;
        }
        way.reverse();
        way
    }
}

/// Makes abstractions of one component, again and again as predicates are added.
pub struct Abstractor {
    service: AbstractionService,
    relations: FxHashMap<(EdgeId, Vec<TermId>, Vec<TermId>), Rc<StepRelation>>,
    diagrams: Diagrams,
    /// What always holds at a location; empty if nothing is known.
    facts: IndexVec<NodeId, Vec<TermId>>,
}

/// A step's abstract relation, and the successors that were read from it.
struct StepRelation {
    relation: AbstractRelation,
    successors: RefCell<FxHashMap<Cube, Rc<Vec<Cube>>>>,
    /// As a decision diagram, and what follows by it.
    diagram: RefCell<Option<logic::bdd::Bdd>>,
    following: RefCell<FxHashMap<Cube, Rc<Vec<Cube>>>>,
}

impl std::fmt::Debug for Abstractor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Abstractor").field("relations", &self.relations.len()).finish_non_exhaustive()
    }
}

impl Default for Abstractor {
    fn default() -> Abstractor {
        Abstractor::new()
    }
}

/// Successors of one abstract state by one step, at most.
const MOST_SUCCESSORS: usize = 4096;
/// States that say the truth of every predicate, at most.
const MOST_STATES: usize = 300_000;

impl Abstractor {
    /// Nothing remembered.
    pub fn new() -> Abstractor {
        let settings = AbstractionSettings { exact_predicates: 60, ..AbstractionSettings::default() };
        Abstractor {
            service: AbstractionService::new(settings),
            relations: FxHashMap::default(),
            diagrams: Diagrams::default(),
            facts: IndexVec::new(),
        }
    }

    /// Nothing remembered but these facts, which hold at their locations in every run.
    pub fn knowing(facts: IndexVec<NodeId, Vec<TermId>>) -> Abstractor {
        Abstractor { facts, ..Abstractor::new() }
    }

    /// Solver checks made so far.
    pub fn checks(&self) -> u64 {
        self.service.statistics().checks
    }

    /// The abstraction under these predicates. `actions` are the events the component may take part in;
    /// `propositions` must be predicates of every location (or constant), and always decided. `None` when
    /// there are more states or successors than can be listed.
    pub fn abstraction(
        &mut self,
        component: &mut Component,
        predicates: &PredicateMap,
        actions: &[Arc<str>],
        propositions: &[(Arc<str>, TermId)],
        detail: &Detail,
        budget: &Budget,
    ) -> Result<Option<Abstraction>, Exhausted> {
        let mut builder = LksBuilder::new(&component.name);
        for action in actions {
            builder.action(action);
        }
        let proposition_ids: Vec<_> =
            propositions.iter().map(|(name, _)| builder.proposition(name)).collect();
        let mut states: IndexSet<AbstractState, FxBuildHasher> = IndexSet::default();
        let mut reached_by: Vec<Option<(StateId, EdgeId)>> = Vec::new();
        let (entry, initial) = (component.entry, component.initial);
        let relation =
            self.service.relation(&mut component.pool, initial, &[], predicates.at(entry), budget)?;
        let first = StepRelation::of(relation);
        let before = Cube::default();
        let Some(found) = self.following(&first, &before, &[], predicates.at(entry), detail, entry) else {
            return Ok(None);
        };
        for values in found.iter() {
            states.insert(AbstractState { node: entry, values: values.clone() });
            reached_by.push(None);
            let state = builder.state();
            builder.initial(state);
        }
        let mut steps: FxHashMap<AbstractStep, Vec<EdgeId>> = FxHashMap::default();
        let mut troubled = Vec::new();
        let mut known: Vec<Option<Rc<StepRelation>>> = vec![None; component.edges.len()];
        let mut next = 0;
        while next < states.len() {
            if next.is_multiple_of(256) {
                budget.check()?;
                if matches!(detail, Detail::Every) && states.len() > MOST_STATES {
                    return Ok(None);
                }
            }
            let from = StateId::from_index(next);
            let state = states[next].clone();
            next += 1;
            if component.nodes[state.node].is_end {
                builder.mark(from, StateMark::End);
            }
            for (index, (_, term)) in propositions.iter().enumerate() {
                if truth(component, predicates, &state, *term) {
                    builder.label(from, proposition_ids[index]);
                }
            }
            for edge in component.nodes[state.node].out.clone() {
                let relation = match &known[edge.index()] {
                    Some(relation) => relation.clone(),
                    None => {
                        let relation = self.relation(component, predicates, edge, budget)?;
                        known[edge.index()] = Some(relation.clone());
                        relation
                    }
                };
                let to = component.edges[edge].to;
                let (before, after) = (predicates.at(state.node), predicates.at(to));
                let Some(found) = self.following(&relation, &state.values, before, after, detail, to) else {
                    return Ok(None);
                };
                if component.edges[edge].trouble.is_some() {
                    if !found.is_empty() {
                        troubled.push((from, edge));
                    }
                    continue;
                }
                let action = match &component.edges[edge].event {
                    Some(event) => builder.action(event),
                    None => ActionId::TAU,
                };
                for values in found.iter() {
                    let (index, is_new) =
                        states.insert_full(AbstractState { node: to, values: values.clone() });
                    if is_new {
                        builder.state();
                        reached_by.push(Some((from, edge)));
                    }
                    let to = StateId::from_index(index);
                    builder.transition(from, action, to);
                    let behind = steps.entry(AbstractStep { from, action, to }).or_default();
                    if !behind.contains(&edge) {
                        behind.push(edge);
                    }
                }
            }
        }
        Ok(Some(Abstraction {
            lks: Arc::new(builder.build()),
            states: states.into_iter().collect(),
            steps,
            troubled,
            reached_by,
        }))
    }

    fn relation(
        &mut self,
        component: &mut Component,
        predicates: &PredicateMap,
        edge: EdgeId,
        budget: &Budget,
    ) -> Result<Rc<StepRelation>, Exhausted> {
        let (from, to) = (component.edges[edge].from, component.edges[edge].to);
        let (before, after) = (predicates.at(from), predicates.at(to));
        let key = (edge, before.to_vec(), after.to_vec());
        if let Some(known) = self.relations.get(&key) {
            return Ok(known.clone());
        }
        let earlier: Vec<TermId> = after.iter().map(|&term| component.before(edge, term)).collect();
        let mut guard = component.edges[edge].guard;
        if let Some(facts) = self.facts.get(from).filter(|facts| !facts.is_empty()) {
            let mut all = vec![guard];
            all.extend(facts);
            guard = component.pool.all_of(&all);
        }
        let relation = self.service.relation(&mut component.pool, guard, before, &earlier, budget)?;
        let made = Rc::new(StepRelation::of(relation));
        self.relations.insert(key, made.clone());
        Ok(made)
    }

    /// What may follow a state by a step to a location; `None` past the limit.
    fn following(
        &mut self,
        step: &StepRelation,
        values: &Cube,
        before: &[TermId],
        after: &[TermId],
        detail: &Detail,
        to: NodeId,
    ) -> Option<Rc<Vec<Cube>>> {
        let Detail::AsNeeded(decided) = detail else { return step.successors(values) };
        if let Some(known) = step.following.borrow().get(values) {
            return Some(known.clone());
        }
        let mut diagram = step.diagram.borrow_mut();
        let known = match &*diagram {
            Some(known) => known.clone(),
            None => diagram.insert(self.diagrams.relation(&step.relation, before, after)?).clone(),
        };
        let found = self.diagrams.after(&known, values, before, after, &decided[to], MOST_SUCCESSORS)?;
        let found = Rc::new(found);
        step.following.borrow_mut().insert(values.clone(), found.clone());
        Some(found)
    }
}

impl StepRelation {
    fn of(relation: AbstractRelation) -> StepRelation {
        StepRelation {
            relation,
            successors: RefCell::default(),
            diagram: RefCell::default(),
            following: RefCell::default(),
        }
    }

    /// What may follow a valuation; `None` past the limit.
    fn successors(&self, before: &Cube) -> Option<Rc<Vec<Cube>>> {
        if let Some(known) = self.successors.borrow().get(before) {
            return Some(known.clone());
        }
        let values: Option<Vec<bool>> = before.iter().copied().collect();
        let found = self.relation.successors(&values?, MOST_SUCCESSORS)?;
        let found: Vec<Cube> =
            found.into_iter().map(|values| values.into_iter().map(Some).collect()).collect();
        let found = Rc::new(found);
        self.successors.borrow_mut().insert(before.clone(), found.clone());
        Some(found)
    }
}

/// Does a proposition hold in a state? It is a constant, a predicate of the location, or the negation of one.
fn truth(component: &Component, predicates: &PredicateMap, state: &AbstractState, term: TermId) -> bool {
    if let Some(value) = component.pool.bool_value(term) {
        return value;
    }
    let positive = crate::predicates::positive(component, term);
    let at = predicates.at(state.node).iter().position(|&known| known == positive);
    let value = state.values[at.expect("propositions are predicates of every location")];
    value.expect("propositions are always decided") == (positive == term)
}
