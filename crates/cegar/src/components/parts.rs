//! What the system is made of: components of code with their predicates, and processes that are structures
//! already.

use super::returns::is_return;
use base::{Budget, Exhausted, Id};
use check::bisimulation::{Divergence, branching_partition};
use lks::quotient::InnerSilence;
use lks::{ActionId, Lks, Partition, StateId};
use logic::TermId;
use predicate::abstraction::Abstraction;
use predicate::component::{Component, Returns};
use predicate::predicates::{atoms, conjuncts, positive};
use predicate::refine::{Closure, Families, Follower, Minimisation, Seed, TreeStep, choose, narrowest};
use predicate::{AbstractStep, Abstractor, Detail, EdgeId, NodeId, PredicateMap, PredicateOrigin};
use question::Asks;
use rustc_hash::{FxHashMap, FxHashSet};
use spec::{Atom, Formula};
use std::collections::VecDeque;
use std::sync::Arc;

/// Spurious counterexamples of a component after which conditions whose weakest preconditions do not come to
/// an end are tracked everywhere.
const FEW_ROUNDS: usize = 3;

/// A part of the system.
pub enum SystemPart {
    /// A C procedure.
    Code(Box<Code>),
    /// A process of the specification, as it is.
    Process(Arc<Lks>),
}

impl SystemPart {
    /// A part of code. The propositions are those of its component, under these names.
    pub fn code(component: Component, propositions: Vec<Arc<str>>) -> SystemPart {
        SystemPart::Code(Box::new(Code::new(component, propositions)))
    }

    /// Lets components return different values where these pairs say so.
    pub fn may_return_apart(&mut self, pairs: &[(Arc<str>, Arc<str>)]) {
        if let SystemPart::Code(code) = self {
            code.returns_together = Arc::from(pairs);
        }
    }

    /// The events it takes part in.
    pub fn events(&self) -> Vec<Arc<str>> {
        match self {
            SystemPart::Code(code) => code.component.alphabet.clone(),
            SystemPart::Process(lks) => {
                lks.alphabet().visible().map(|action| lks.alphabet().shared_name(action)).collect()
            }
        }
    }

    /// Can it end at all, as far as its steps tell?
    pub(super) fn can_end(&self) -> bool {
        match self {
            SystemPart::Code(code) => code.component.can_end(),
            SystemPart::Process(lks) => !lks.end_states().is_empty(),
        }
    }

    /// How many states the checks see of it.
    pub(super) fn seen_states(&self) -> usize {
        match self {
            SystemPart::Code(code) => code.view.as_ref().map_or(0, |view| view.lks.state_count()),
            SystemPart::Process(lks) => lks.state_count(),
        }
    }

    /// Its name.
    pub fn name(&self) -> Arc<str> {
        match self {
            SystemPart::Code(code) => code.component.name.clone(),
            SystemPart::Process(lks) => Arc::from(lks.name()),
        }
    }
}

/// A component with all that the loop keeps about it.
pub struct Code {
    pub(super) component: Component,
    pub(super) propositions: Vec<(Arc<str>, TermId)>,
    abstractor: Abstractor,
    pub(super) closure: Closure,
    pub(super) follower: Follower,
    pub(super) predicates: PredicateMap,
    /// For each spurious counterexample the sets of conditions that rule it out.
    pub(super) spurious: Vec<Vec<Vec<Seed>>>,
    /// Predicates that were needed at a place whatever the seeds.
    pub(super) pinned: Vec<(NodeId, TermId)>,
    pub(super) seen: FxHashSet<Vec<TreeStep>>,
    pub(super) seeds: Vec<Seed>,
    /// Seeds that are there from the start.
    given: Vec<Seed>,
    families: Option<Families>,
    /// The abstraction under the predicates there are; none when they have changed.
    pub(super) view: Option<View>,
    /// Must predicates be placed and the abstraction made anew?
    pub(super) is_stale: bool,
    /// Do abstract states leave open what nothing has depended on? Once valuations were too many.
    pub(super) leaves_open: bool,
    /// Are only the conditions chosen that counterexamples name, without their families?
    is_narrow: bool,
    /// Were facts looked for that hold whatever the counterexamples?
    has_sought_facts: bool,
    /// Pairs of returns that may differ between components.
    pub(super) returns_together: Arc<[(Arc<str>, Arc<str>)]>,
}

/// What was chosen for a component, and why.
pub(super) struct Chosen {
    seeds: Vec<Seed>,
    spurious: Vec<Vec<Vec<Seed>>>,
    pinned: Vec<(NodeId, TermId)>,
    seen: FxHashSet<Vec<TreeStep>>,
    closure: Closure,
}

/// The abstraction of a component, and what the checks see of it.
pub(super) struct View {
    pub abstraction: Abstraction,
    /// What the checks see.
    pub lks: Arc<Lks>,
    /// From states of the abstraction to what the checks see, where it was reduced.
    partition: Option<Partition>,
}

impl Code {
    fn new(component: Component, propositions: Vec<Arc<str>>) -> Code {
        let propositions = propositions.into_iter().zip(component.propositions.iter().copied()).collect();
        Code {
            closure: Closure::new(&component),
            predicates: PredicateMap::new(&component),
            abstractor: Abstractor::new(),
            follower: Follower::default(),
            propositions,
            spurious: Vec::new(),
            pinned: Vec::new(),
            seen: FxHashSet::default(),
            seeds: Vec::new(),
            given: Vec::new(),
            families: None,
            view: None,
            is_stale: true,
            leaves_open: false,
            is_narrow: false,
            has_sought_facts: false,
            returns_together: Arc::from([]),
            component,
        }
    }

    /// Tracks the conditions of all branches from the start: in a product of many parts a choice that the
    /// code does not have costs more than a predicate. Only for small parts.
    pub(super) fn track_branches(&mut self) -> bool {
        const FEW_LOCATIONS: usize = 80;
        if self.component.nodes.len() > FEW_LOCATIONS {
            return false;
        }
        for (edge, step) in self.component.edges.iter_enumerated().filter(|(_, step)| step.is_branch) {
            for condition in conjuncts(&self.component, step.guard) {
                self.given.push(Seed { edge, condition });
            }
        }
        !self.given.is_empty()
    }

    /// The steps mean something else than before.
    pub(super) fn forget_abstraction(&mut self) {
        self.abstractor = Abstractor::new();
        self.has_sought_facts = false;
        self.families = None;
        self.is_stale = true;
    }

    /// Another start is looked at: what was ruled out before may have to be ruled out again.
    pub(super) fn start_anew(&mut self) {
        self.seen.clear();
        if self.has_sought_facts {
            // Facts may rest on where the component started.
            self.abstractor = Abstractor::new();
            self.has_sought_facts = false;
        }
        self.is_stale = true;
    }

    /// Looks for facts that hold whatever the counterexamples, once these have been a few. True if there are any.
    pub(super) fn learn_facts(&mut self, budget: &Budget) -> bool {
        if self.has_sought_facts || self.spurious.len() < FEW_ROUNDS {
            return false;
        }
        self.has_sought_facts = true;
        let Ok(Some(facts)) = predicate::refine::facts(&mut self.component, budget) else { return false };
        self.abstractor = Abstractor::knowing(facts);
        self.families = None;
        self.is_stale = true;
        true
    }

    /// Chooses the seeds that rule out what was seen.
    pub(super) fn choose_seeds(&mut self, how: Minimisation, budget: &Budget) {
        let families = self.families.get_or_insert_with(|| Families::of(&self.component));
        self.seeds = if self.is_narrow {
            narrowest(&self.spurious, families, budget)
        } else {
            choose(&self.spurious, how, families, budget)
        };
    }

    /// Only what counterexamples name is chosen from now on. Gives what was chosen until now.
    pub(super) fn choose_narrowly(&mut self, budget: &Budget) -> Chosen {
        let before = Chosen {
            seeds: self.seeds.clone(),
            spurious: self.spurious.clone(),
            pinned: self.pinned.clone(),
            seen: self.seen.clone(),
            closure: self.closure.clone(),
        };
        self.is_narrow = true;
        self.choose_seeds(Minimisation::Minimal, budget);
        self.is_stale = true;
        before
    }

    /// Goes back to what was chosen before.
    pub(super) fn choose_again(&mut self, chosen: Chosen) {
        self.is_narrow = false;
        let Chosen { seeds, spurious, pinned, seen, closure } = chosen;
        (self.seeds, self.spurious, self.pinned) = (seeds, spurious, pinned);
        (self.seen, self.closure) = (seen, closure);
        self.is_stale = true;
    }

    /// The seeds among those chosen that counterexamples named, without what belongs to the same families.
    pub(super) fn named_seeds(&mut self, budget: &Budget) -> Vec<Seed> {
        let families = self.families.get_or_insert_with(|| Families::of(&self.component));
        let mut named = narrowest(&self.spurious, families, budget);
        named.retain(|seed| self.seeds.contains(seed));
        named
    }

    /// Solver checks of the abstraction so far.
    pub(super) fn checks(&self) -> u64 {
        self.abstractor.checks()
    }

    /// The predicates under the seeds chosen: those of the user and of the question, and those the seeds
    /// need.
    pub(super) fn place_predicates(&mut self, question: &Asks) {
        self.predicates = self.placed(question);
    }

    fn placed(&mut self, question: &Asks) -> PredicateMap {
        let mut map = PredicateMap::new(&self.component);
        let nodes: Vec<NodeId> = self.component.nodes.ids().collect();
        for &node in &nodes {
            for term in self.component.supplied.clone() {
                for atom in atoms(&self.component, term) {
                    map.add(&self.component, node, atom, &PredicateOrigin::Supplied);
                }
            }
            for (_, term) in &self.propositions {
                map.add(&self.component, node, *term, &PredicateOrigin::Question);
            }
        }
        if !matches!(question, Asks::Conforms(..)) {
            self.place_refusals(&mut map);
        }
        for &(node, term) in &self.pinned {
            let origin = PredicateOrigin::Refinement("a path that came back".to_owned());
            map.add(&self.component, node, term, &origin);
        }
        for seed in self.given.iter().chain(&self.seeds).copied().collect::<Vec<_>>() {
            let text = self.component.edges[seed.edge].text.clone();
            let origin = PredicateOrigin::Refinement(text);
            for (node, term) in self.closure.predicates(&mut self.component, seed).to_vec() {
                map.add(&self.component, node, term, &origin);
            }
            if self.spurious.len() >= FEW_ROUNDS {
                for term in self.closure.spread(&mut self.component, seed) {
                    for &node in &nodes {
                        map.add(&self.component, node, term, &origin);
                    }
                }
            }
        }
        map
    }

    /// What the checks would see, at least, with fewer seeds than the abstraction was made with: states that
    /// only the others tell apart are one state. An abstraction made anew can only have more steps.
    pub(super) fn seen_with(
        &mut self,
        fewer: &[Seed],
        question: &Asks,
        reduce: bool,
        budget: &Budget,
    ) -> Result<Option<Arc<Lks>>, Exhausted> {
        let all = std::mem::replace(&mut self.seeds, fewer.to_vec());
        let left = self.placed(question);
        self.seeds = all;
        let Some(view) = &self.view else { return Ok(None) };
        let kept: base::IndexVec<NodeId, Vec<usize>> = self
            .component
            .nodes
            .ids()
            .map(|node| {
                let is_left = |(_, term): &(usize, &TermId)| left.at(node).contains(term);
                self.predicates.at(node).iter().enumerate().filter(is_left).map(|(at, _)| at).collect()
            })
            .collect();
        let partition = Partition::by_key(view.abstraction.states.iter().map(|state| {
            let values: Vec<Option<bool>> = kept[state.node].iter().map(|&at| state.values[at]).collect();
            (state.node, values)
        }));
        let lks = view.abstraction.lks.quotient(&partition, InnerSilence::Kept);
        Ok(Some(Arc::new(if reduce {
            lks.quotient(&branching_partition(&lks, Divergence::Ignored, budget)?, InnerSilence::Dropped)
        } else {
            lks
        })))
    }

    /// SEEDS correction 8: what a step may refuse must be known, so its conditions are predicates where it
    /// starts.
    fn place_refusals(&mut self, map: &mut PredicateMap) {
        for (id, edge) in self.component.edges.iter_enumerated().filter(|(_, edge)| can_be_refused(edge)) {
            for condition in self.refusable(id) {
                for atom in atoms(&self.component, condition) {
                    map.add(&self.component, edge.from, atom, &PredicateOrigin::Question);
                }
            }
        }
    }

    /// The conditions of a step without those of its inputs and without what it needs to be defined.
    pub(super) fn refusable(&self, edge: EdgeId) -> Vec<TermId> {
        let edge = &self.component.edges[edge];
        let defined = conjuncts(&self.component, edge.defined);
        let inputs: Vec<TermId> = edge.inputs.iter().map(|input| input.symbol).collect();
        let symbols = |term| logic::term::symbols_in(&self.component.pool, &[term]);
        let mut own = conjuncts(&self.component, edge.guard);
        own.retain(|term| {
            !defined.contains(term) && !symbols(*term).iter().any(|symbol| inputs.contains(symbol))
        });
        own
    }

    /// A return whose value is not tracked: its kind is not known, and so not which returns are refused.
    pub(super) fn open_return(&self) -> Option<EdgeId> {
        let is_open = |(_, edge): &(EdgeId, &predicate::Edge)| {
            let inputs: Vec<TermId> = edge.inputs.iter().map(|input| input.symbol).collect();
            let symbols = logic::term::symbols_in(&self.component.pool, &[edge.guard]);
            edge.is_branch && edge.event.is_some() && symbols.iter().any(|symbol| inputs.contains(symbol))
        };
        self.component.edges.iter_enumerated().find(is_open).map(|(id, _)| id)
    }

    /// A step whose input may have no value that fits: whether it is refused is not known.
    pub(super) fn open_refusal(&self) -> Option<EdgeId> {
        let is_open = |(_, edge): &(EdgeId, &predicate::Edge)| {
            let inputs: Vec<TermId> = edge.inputs.iter().map(|input| input.symbol).collect();
            !edge.is_branch
                && conjuncts(&self.component, edge.guard).into_iter().any(|term| {
                    let symbols = logic::term::symbols_in(&self.component.pool, &[term]);
                    let mine = symbols.iter().filter(|symbol| inputs.contains(symbol)).count();
                    mine > 0 && mine < symbols.len()
                })
        };
        self.component.edges.iter_enumerated().find(is_open).map(|(id, _)| id)
    }

    /// Abstracts under the predicates there are. False when some step has too many successors.
    pub(super) fn abstract_now(
        &mut self,
        actions: &[Arc<str>],
        reduce: bool,
        budget: &Budget,
    ) -> Result<bool, Exhausted> {
        let mut made = None;
        if !self.leaves_open {
            made = self.make_abstraction(actions, &Detail::Every, budget)?;
            self.leaves_open = made.is_none();
        }
        if made.is_none() {
            made = self.make_abstraction(actions, &self.always_decided(!reduce), budget)?;
        }
        let Some(abstraction) = made else { return Ok(false) };
        let full = abstraction.lks.clone();
        let (lks, partition) = if reduce {
            let partition = branching_partition(&full, Divergence::Ignored, budget)?;
            (Arc::new(full.quotient(&partition, InnerSilence::Dropped)), Some(partition))
        } else {
            (full, None)
        };
        self.view = Some(View { abstraction, lks, partition });
        self.is_stale = false;
        Ok(true)
    }
}

impl Code {
    fn make_abstraction(
        &mut self,
        actions: &[Arc<str>],
        detail: &Detail,
        budget: &Budget,
    ) -> Result<Option<Abstraction>, Exhausted> {
        self.abstractor.abstraction(
            &mut self.component,
            &self.predicates,
            actions,
            &self.propositions,
            detail,
            budget,
        )
    }

    /// What every state must say: the propositions, and where refusals count, what a step may refuse.
    fn always_decided(&self, refusals_count: bool) -> Detail {
        let mut decided: base::IndexVec<NodeId, Vec<TermId>> =
            base::IndexVec::filled(Vec::new(), self.component.nodes.len());
        for node in self.component.nodes.ids() {
            let own = self.propositions.iter().map(|(_, term)| positive(&self.component, *term));
            decided[node].extend(own);
        }
        for (id, edge) in self.component.edges.iter_enumerated() {
            if !can_be_refused(edge) || !refusals_count {
                continue;
            }
            for condition in self.refusable(id) {
                let own = atoms(&self.component, condition);
                decided[edge.from].extend(own.into_iter().map(|atom| positive(&self.component, atom)));
            }
        }
        Detail::AsNeeded(decided)
    }
}

/// Does it matter whether the step is possible? Of a branch one side always is; but the ways to return are
/// sides of a branch that others see, and who waits for another return gets none of them.
fn can_be_refused(edge: &predicate::Edge) -> bool {
    !edge.is_branch || edge.event.is_some()
}

impl View {
    /// The state of the checks' structure that stands for a state of the abstraction.
    fn seen_as(&self, state: StateId) -> StateId {
        match &self.partition {
            Some(partition) => StateId::from_index(partition.block_of(state).index()),
            None => state,
        }
    }

    /// The return that leads there, of that kind if one is named.
    pub fn own_return(&self, from: StateId, to: StateId, kind: Option<&Arc<str>>) -> Option<ActionId> {
        let from = self.seen_as(from);
        let is_meant = |name: &str| kind.map_or_else(|| is_return(name), |kind| **kind == *name);
        self.lks
            .transitions(from)
            .find(|(action, target)| {
                *target == to && !action.is_silent() && is_meant(self.lks.alphabet().name(*action))
            })
            .map(|(action, _)| action)
    }

    /// An initial state of the abstraction behind an initial state of what the checks see.
    pub fn start(&self, seen: StateId) -> Option<StateId> {
        self.abstraction.lks.initial().iter().copied().find(|&state| self.seen_as(state) == seen)
    }

    /// The steps of the abstraction behind one step of what the checks see: silent ones inside the class,
    /// then the step. Branching bisimulation promises that they exist from every state of the class.
    pub fn expand(
        &self,
        from: StateId,
        action: ActionId,
        to: StateId,
    ) -> Option<(Vec<(EdgeId, StateId)>, StateId)> {
        let full = &self.abstraction.lks;
        let class = self.seen_as(from);
        let mut before: FxHashMap<StateId, (StateId, EdgeId)> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        let edge =
            |from, action, to| self.abstraction.edges(AbstractStep { from, action, to }).first().copied();
        while let Some(state) = queue.pop_front() {
            for (own, target) in full.transitions(state) {
                if own == action && self.seen_as(target) == to {
                    let mut edges = vec![(edge(state, own, target)?, target)];
                    let mut at = state;
                    while let Some(&(earlier, edge)) = before.get(&at) {
                        edges.push((edge, at));
                        at = earlier;
                    }
                    edges.reverse();
                    return Some((edges, target));
                }
                let is_inner = own.is_silent() && self.seen_as(target) == class && self.partition.is_some();
                if is_inner && target != from && !before.contains_key(&target) {
                    before.insert(target, (state, edge(state, own, target)?));
                    queue.push_back(target);
                }
            }
        }
        None
    }
}

/// The process over the returns that the parts tell apart: `return {c}` stands for every return that meets
/// `c`, and a return that meets none of its conditions is forbidden if the process speaks about returns at
/// all.
pub fn with_returns_told_apart(process: &Arc<Lks>, returns: &Returns, parts: &[SystemPart]) -> Arc<Lks> {
    let is_return = |name: &str| name.starts_with("return {");
    let own = process.alphabet();
    if !returns.are_mentioned() || !own.visible().any(|action| is_return(own.name(action))) {
        return process.clone();
    }
    let mut events: Vec<Arc<str>> =
        parts.iter().flat_map(SystemPart::events).filter(|name| is_return(name)).collect();
    events.sort_unstable();
    events.dedup();
    let mut relabelling = lks::Relabelling::new();
    let alphabet = process.alphabet();
    for action in alphabet.visible() {
        let name = alphabet.name(action);
        if is_return(name) {
            for event in events.iter().filter(|event| Returns::event_meets(event, name)) {
                relabelling.add(name, event.clone());
            }
        }
    }
    let relabelled = process.relabel(&relabelling);
    Arc::new(relabelled.extend_alphabet(events.iter().map(|event| &**event)))
}

/// The formula over the returns that the parts tell apart: `return {c}` is any return that meets `c`,
/// `return` any at all.
pub fn formula_with_returns(formula: &Formula, parts: &[SystemPart]) -> Formula {
    let mut events: Vec<Arc<str>> =
        parts.iter().flat_map(SystemPart::events).filter(|name| is_return(name)).collect();
    events.sort_unstable();
    events.dedup();
    let meets = |event: &Arc<str>, name: &str| {
        matches!(name, "return" | "return {}") || Returns::event_meets(event, name)
    };
    formula.with_atoms(&|atom| match atom {
        Atom::Event(name) if is_return(name) => {
            Formula::any(events.iter().filter(|event| meets(event, name)).map(|event| Formula::event(event)))
        }
        other => Formula::Atom(other.clone()),
    })
}
