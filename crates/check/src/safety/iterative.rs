//! IterDeadlock: deadlock by abstraction and refinement, component by component (THESIS ch. 10).
//! Each component is replaced by a quotient; what an abstract state may refuse is what any of its states refuses
//! (Def. 38), so an abstract system without abstract deadlock has none (Lemma 1). An abstract deadlock is validated
//! on each component alone (Def. 41, Lemma 2), and a component that cannot follow is split (AbsRefine).
//! DIVERGENCE: silent steps are actions of their component that can be refused like others; END and ERROR states
//! are kept apart from the start, and all processes in END is not a deadlock (SEEDS correction 8); the quotient starts
//! from the initial states in it (the thesis' X := α0 is too large); every component that fails is split, not
//! only the first.
//! Not for systems under a priority: refusals of components alone do not tell what a priority forbids.
//! Naive twin: `explicit`.

use super::SafetyQuestion;
use super::replay::confirmed;
use crate::outcome::{Outcome, Stopped};
use crate::view::state_name;
use base::{Budget, Id, IndexVec};
use indexmap::IndexSet;
use lks::composition::ComponentId;
use lks::quotient::{BlockId, InnerSilence, Partition};
use lks::{
    ActionId, Component, Composition, Lks, Role, StateId, StateMark, Step, Successors, SyncId, SystemState,
};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::Arc;
use verdict::{Certificate, Reason, Verdict};

/// Is there no deadlock?
pub fn deadlock_free(system: &Composition, budget: &Budget) -> Outcome {
    Outcome::settle(iterate(system, budget))
}

fn iterate(system: &Composition, budget: &Budget) -> Result<Outcome, Stopped> {
    if system.has_priority() {
        let why = "a priority makes refusals depend on the whole system".to_owned();
        return Err(Stopped::because(Reason::EngineCannot { engine: "iterative", why }));
    }
    let mut parts: IndexVec<ComponentId, Part> =
        system.components().iter().map(|component| Part::new(component.lks.clone())).collect();
    let mut iterations = 0usize;
    let mut states = 0usize;
    loop {
        iterations += 1;
        let quotients: Vec<Component> = system
            .components()
            .iter()
            .zip(parts.iter())
            .map(|(component, part)| Component { lks: part.quotient(), ..component.clone() })
            .collect();
        let abstraction = Composition::new(quotients);
        let found = abstract_deadlock(&abstraction, &parts, &mut states, budget)
            .map_err(|stopped| stopped.having_shown(format!("{} refinements were made", iterations - 1)))?;
        let classes = parts.iter().map(|part| part.partition.block_count()).sum();
        let counted = |verdict: Verdict| {
            Outcome::new(verdict)
                .count("states", states)
                .count("iterations", iterations)
                .count("classes", classes)
        };
        let Some(run) = found else {
            return Ok(counted(Verdict::Holds(certificate(system, &parts))));
        };
        // Validate on each component alone, and split those that cannot follow.
        let mut all_follow = true;
        for (id, part) in parts.iter_mut().enumerate() {
            let id = ComponentId::from_index(id);
            let projection = run.projection(&abstraction, id);
            if part.follow(&projection).is_none() {
                all_follow = false;
                part.refine(&projection);
            }
        }
        if all_follow {
            let (start, steps) = concretise(system, &abstraction, &parts, &run);
            let evidence = confirmed(system, SafetyQuestion::Deadlock, &start, &steps)
                .expect("components that can refuse everything together are deadlocked (Lemma 2)");
            return Ok(counted(evidence.into()));
        }
        budget.check()?;
    }
}

/// One component with its current abstraction.
struct Part {
    lks: Arc<Lks>,
    partition: Partition,
    /// For each class what some state of it refuses; the silent step counts as an action.
    refusals: IndexVec<BlockId, IndexVec<ActionId, bool>>,
    members: IndexVec<BlockId, Vec<StateId>>,
}

/// A run of the abstract system seen by one component.
struct Projection {
    classes: Vec<BlockId>,
    actions: Vec<ActionId>,
}

impl Projection {
    fn last(&self) -> BlockId {
        self.classes[self.actions.len()]
    }
}

struct AbstractRun {
    states: Vec<SystemState>,
    steps: Vec<Step>,
}

impl Part {
    fn new(lks: Arc<Lks>) -> Part {
        let words = |state: StateId| lks.mark(state) as u8;
        let partition = Partition::by_key(lks.states().map(words).collect::<Vec<_>>());
        let mut part = Part { lks, partition, refusals: IndexVec::new(), members: IndexVec::new() };
        part.recompute();
        part
    }

    fn recompute(&mut self) {
        let blocks = self.partition.block_count();
        self.members = IndexVec::filled(Vec::new(), blocks);
        self.refusals = IndexVec::filled(IndexVec::filled(false, self.lks.alphabet().len()), blocks);
        for state in self.lks.states() {
            let block = self.partition.block_of(state);
            self.members[block].push(state);
            for action in self.lks.alphabet().ids() {
                if !self.lks.offers(state, action) {
                    self.refusals[block][action] = true;
                }
            }
        }
    }

    fn quotient(&self) -> Arc<Lks> {
        Arc::new(self.lks.quotient(&self.partition, InnerSilence::Kept))
    }

    fn abstract_refusal(&self, class: BlockId) -> Vec<ActionId> {
        self.lks.alphabet().ids().filter(|action| self.refusals[class][*action]).collect()
    }

    /// IsFailure: the states of a concrete run with the same actions whose last state refuses all that the last class
    /// may refuse, and is marked as that class is: END and ERROR refuse everything, but are no deadlock.
    fn follow(&self, projection: &Projection) -> Option<Vec<StateId>> {
        let actions = &projection.actions;
        let last = projection.last();
        let refused = self.abstract_refusal(last);
        let mark = self.lks.mark(self.members[last][0]);
        let mut layers: Vec<Vec<StateId>> = vec![self.lks.initial().to_vec()];
        for action in actions {
            let mut next: Vec<StateId> = layers[layers.len() - 1]
                .iter()
                .flat_map(|state| self.lks.successors_by(*state, *action))
                .copied()
                .collect();
            next.sort_unstable();
            next.dedup();
            layers.push(next);
        }
        let is_stuck = |state: &StateId| {
            self.lks.mark(*state) == mark && refused.iter().all(|action| !self.lks.offers(*state, *action))
        };
        let mut run = vec![*layers[actions.len()].iter().find(|state| is_stuck(state))?];
        for (layer, action) in layers.iter().zip(actions).rev() {
            let after = run[run.len() - 1];
            let before = layer.iter().find(|state| self.lks.successors_by(**state, *action).contains(&after));
            run.push(*before.expect("layers are successors of each other"));
        }
        run.reverse();
        Some(run)
    }

    /// AbsRefine: splits the class at which the concrete run cannot go on as the abstract one does.
    fn refine(&mut self, projection: &Projection) {
        let in_class = |part: &Part, state: StateId, class: BlockId| part.partition.block_of(state) == class;
        let mut reached: Vec<StateId> = self.lks.initial().to_vec();
        reached.retain(|state| in_class(self, *state, projection.classes[0]));
        for (index, action) in projection.actions.iter().enumerate() {
            let mut next: Vec<StateId> =
                reached.iter().flat_map(|state| self.lks.successors_by(*state, *action)).copied().collect();
            next.retain(|state| in_class(self, *state, projection.classes[index + 1]));
            next.sort_unstable();
            next.dedup();
            if next.is_empty() {
                return self.split(projection.classes[index], &[*action]);
            }
            reached = next;
        }
        let refused = self.abstract_refusal(projection.last());
        self.split(projection.last(), &refused);
    }

    /// Split (THESIS 9.4.1): states of the class with different abstract successors under the actions part.
    fn split(&mut self, class: BlockId, actions: &[ActionId]) {
        let before = self.partition.block_count();
        let mut keys: FxHashMap<Vec<(ActionId, BlockId)>, usize> = FxHashMap::default();
        let mut block_of: IndexVec<StateId, BlockId> =
            self.lks.states().map(|state| self.partition.block_of(state)).collect();
        for state in &self.members[class] {
            let mut key: Vec<(ActionId, BlockId)> = actions
                .iter()
                .flat_map(|action| {
                    let successors = self.lks.successors_by(*state, *action);
                    successors.iter().map(|target| (*action, self.partition.block_of(*target)))
                })
                .collect();
            key.sort_unstable();
            key.dedup();
            let fresh = keys.len();
            let number = *keys.entry(key).or_insert(fresh);
            if number > 0 {
                block_of[*state] = BlockId::from_index(before + number - 1);
            }
        }
        self.partition = Partition::new(block_of);
        assert!(self.partition.block_count() > before, "a failed validation splits a class (THESIS 10.6)");
        self.recompute();
    }
}

impl AbstractRun {
    fn projection(&self, abstraction: &Composition, id: ComponentId) -> Projection {
        let class = |state: &SystemState| BlockId::from_index(abstraction.component_state(state, id).index());
        let mut projection = Projection { classes: vec![class(&self.states[0])], actions: Vec::new() };
        for (step, after) in self.steps.iter().zip(&self.states[1..]) {
            if let Some(action) = own_action(abstraction, step, id) {
                projection.actions.push(action);
                projection.classes.push(class(after));
            }
        }
        projection
    }
}

/// The action by which a component takes part in a step, if it does.
fn own_action(system: &Composition, step: &Step, id: ComponentId) -> Option<ActionId> {
    match step.sync {
        SyncId::SILENT => (step.mover == id).then_some(ActionId::TAU),
        sync => system.participants(sync).iter().find(|(other, _)| *other == id).map(|(_, action)| *action),
    }
}

/// AbsDeadlock: breadth-first search for an abstract state in which every action may be refused by someone.
fn abstract_deadlock(
    abstraction: &Composition,
    parts: &IndexVec<ComponentId, Part>,
    states: &mut usize,
    budget: &Budget,
) -> Result<Option<AbstractRun>, Stopped> {
    let mut found: IndexSet<SystemState, FxBuildHasher> = abstraction.initial_states().into_iter().collect();
    let initial = found.len();
    let mut reached: Vec<Option<(usize, Step)>> = vec![None; initial];
    let mut steps = Vec::new();
    let mut next = 0;
    while next < found.len() {
        if next.is_multiple_of(256) {
            budget.check()?;
        }
        let state = found[next].clone();
        if may_be_stuck(abstraction, parts, &state) {
            *states = (*states).max(found.len());
            let mut run = AbstractRun { states: vec![state], steps: Vec::new() };
            let mut at = next;
            while let Some((before, step)) = &reached[at] {
                run.steps.push(step.clone());
                run.states.push(found[*before].clone());
                at = *before;
            }
            run.states.reverse();
            run.steps.reverse();
            return Ok(Some(run));
        }
        steps.clear();
        abstraction.steps(&state, &mut steps);
        for step in steps.drain(..) {
            let (_, is_new) = found.insert_full(step.target.clone());
            if is_new {
                reached.push(Some((next, step)));
            }
        }
        next += 1;
    }
    *states = (*states).max(found.len());
    Ok(None)
}

fn may_be_stuck(abstraction: &Composition, parts: &IndexVec<ComponentId, Part>, state: &SystemState) -> bool {
    if Successors::mark(abstraction, state) != StateMark::Plain {
        return false;
    }
    let class = |id: ComponentId| BlockId::from_index(abstraction.component_state(state, id).index());
    let refuses = |id: ComponentId, action: ActionId| parts[id].refusals[class(id)][action];
    abstraction.components().ids().all(|id| refuses(id, ActionId::TAU))
        && abstraction
            .syncs()
            .skip(1)
            .all(|sync| abstraction.participants(sync).iter().any(|(id, action)| refuses(*id, *action)))
}

/// The concrete run whose projections are the validated ones.
fn concretise(
    system: &Composition,
    abstraction: &Composition,
    parts: &IndexVec<ComponentId, Part>,
    run: &AbstractRun,
) -> (SystemState, Vec<(ActionId, SystemState)>) {
    let runs: Vec<Vec<StateId>> = parts
        .iter_enumerated()
        .map(|(id, part)| {
            let projection = run.projection(abstraction, id);
            part.follow(&projection).expect("validated before")
        })
        .collect();
    let mut at: Vec<usize> = vec![0; runs.len()];
    let state = |at: &[usize]| {
        system.state_of(&runs.iter().zip(at).map(|(run, index)| run[*index]).collect::<Vec<StateId>>())
    };
    let start = state(&at);
    let mut steps = Vec::new();
    for step in &run.steps {
        for id in system.components().ids() {
            if own_action(abstraction, step, id).is_some() {
                at[id.index()] += 1;
            }
        }
        let action = match step.sync {
            SyncId::SILENT => ActionId::TAU,
            sync => system.shown(sync),
        };
        steps.push((action, state(&at)));
    }
    (start, steps)
}

fn certificate(system: &Composition, parts: &IndexVec<ComponentId, Part>) -> Certificate {
    let partitions = system
        .components()
        .iter()
        .zip(parts.iter())
        .filter(|(component, _)| component.role == Role::Process || !component.lks.error_states().is_empty())
        .map(|(component, part)| {
            let classes = part
                .members
                .iter()
                .map(|class| class.iter().map(|state| state_name(&component.lks, *state)).collect())
                .collect();
            (component.name.to_string(), classes)
        })
        .collect();
    Certificate::Abstraction { partitions }
}
