//! Components seen through partitions of their states, runs of such a system, and what becomes of them on the
//! components themselves: followed, or a reason to split a class. THESIS 9.4 and 10.5-10.6.

use crate::view::state_name;
use base::{Id, IndexVec};
use lks::composition::ComponentId;
use lks::quotient::{BlockId, InnerSilence, Partition};
use lks::{ActionId, Component, Composition, Lks, StateId, Step, SyncId, SystemState};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use verdict::Certificate;

/// Every component with its current abstraction.
pub(crate) struct Abstraction<'a> {
    pub system: &'a Composition,
    pub parts: IndexVec<ComponentId, AbstractedComponent>,
}

impl<'a> Abstraction<'a> {
    /// The coarsest abstraction that keeps marks and propositions apart.
    pub fn coarsest(system: &'a Composition) -> Abstraction<'a> {
        Abstraction {
            system,
            parts: system
                .components()
                .iter()
                .map(|part| AbstractedComponent::new(part.lks.clone()))
                .collect(),
        }
    }

    /// The system of quotients; actions hidden in the system are seen here.
    pub fn composition(&self) -> Composition {
        let quotients = self.system.components().iter().zip(self.parts.iter());
        Composition::new(
            quotients.map(|(own, part)| Component { lks: part.quotient(), ..own.clone() }).collect(),
        )
    }

    /// How many classes there are in all.
    pub fn class_count(&self) -> usize {
        self.parts.iter().map(|part| part.partition.block_count()).sum()
    }

    /// The concrete run whose projections are the validated ones.
    pub fn concretise(
        &self,
        abstraction: &Composition,
        run: &AbstractRun,
        refusing: bool,
    ) -> (SystemState, Vec<(ActionId, SystemState)>) {
        let system = self.system;
        let runs: Vec<Vec<StateId>> = self
            .parts
            .iter_enumerated()
            .map(|(id, part)| {
                let projection = run.projection(abstraction, id);
                part.follow(&projection, refusing).expect("validated before")
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

    /// The classes, as evidence.
    pub fn certificate(&self) -> Certificate {
        let partitions = self
            .system
            .components()
            .iter()
            .zip(self.parts.iter())
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
}

/// One component with its current abstraction.
pub(crate) struct AbstractedComponent {
    pub lks: Arc<Lks>,
    pub partition: Partition,
    /// For each class what some state of it refuses; the silent step counts as an action.
    pub refusals: IndexVec<BlockId, IndexVec<ActionId, bool>>,
    members: IndexVec<BlockId, Vec<StateId>>,
}

/// A run of the abstract system seen by one component.
pub(crate) struct Projection {
    classes: Vec<BlockId>,
    actions: Vec<ActionId>,
}

impl Projection {
    fn last(&self) -> BlockId {
        self.classes[self.actions.len()]
    }
}

pub(crate) struct AbstractRun {
    pub states: Vec<SystemState>,
    pub steps: Vec<Step>,
}

impl AbstractedComponent {
    fn new(lks: Arc<Lks>) -> AbstractedComponent {
        let key = |state: StateId| (lks.mark(state), lks.label(state));
        let partition = Partition::by_key(lks.states().map(key).collect::<Vec<_>>());
        let mut part =
            AbstractedComponent { lks, partition, refusals: IndexVec::new(), members: IndexVec::new() };
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

    /// The states of a concrete run with the same actions whose last state is marked as the last class is:
    /// END and ERROR refuse everything, but are no deadlock. If `refusing`, it also refuses all that the
    /// class may refuse (IsFailure).
    pub fn follow(&self, projection: &Projection, refusing: bool) -> Option<Vec<StateId>> {
        let actions = &projection.actions;
        let last = projection.last();
        let refused = if refusing { self.abstract_refusal(last) } else { Vec::new() };
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
    pub fn refine(&mut self, projection: &Projection) {
        let in_class = |part: &AbstractedComponent, state: StateId, class: BlockId| {
            part.partition.block_of(state) == class
        };
        let mut reached: Vec<StateId> = self.lks.initial().to_vec();
        reached.retain(|state| in_class(self, *state, projection.classes[0]));
        for (index, action) in projection.actions.iter().enumerate() {
            let mut next: Vec<StateId> =
                reached.iter().flat_map(|state| self.lks.successors_by(*state, *action)).copied().collect();
            next.retain(|state| in_class(self, *state, projection.classes[index + 1]));
            next.sort_unstable();
            next.dedup();
            if next.is_empty() {
                let is_finer = self.split(projection.classes[index], &[*action]);
                assert!(is_finer, "a failed validation splits a class (THESIS 10.6)");
                return;
            }
            reached = next;
        }
        let refused = self.abstract_refusal(projection.last());
        let is_finer = self.split(projection.last(), &refused);
        assert!(is_finer, "a failed validation splits a class (THESIS 10.6)");
    }

    /// Split (THESIS 9.4.1): states of the class with different abstract successors under the actions part.
    /// False if they have none that differ.
    pub fn split(&mut self, class: BlockId, actions: &[ActionId]) -> bool {
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
        if keys.len() < 2 {
            return false;
        }
        self.partition = Partition::new(block_of);
        self.recompute();
        true
    }
}

impl AbstractRun {
    pub fn projection(&self, abstraction: &Composition, id: ComponentId) -> Projection {
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
pub(crate) fn own_action(system: &Composition, step: &Step, id: ComponentId) -> Option<ActionId> {
    match step.sync {
        SyncId::SILENT => (step.mover == id).then_some(ActionId::TAU),
        sync => system.participants(sync).iter().find(|(other, _)| *other == id).map(|(_, action)| *action),
    }
}
