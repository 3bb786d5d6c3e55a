//! Parallel composition of n components (alphabetised, as in CSP), explored on the fly: the product is never built.
//! After thesis Def. 5 (and CSP): components synchronise on the actions their alphabets share and interleave on the
//! others; the silent action never synchronises.
//! DIVERGENCE: n components at once; FSP's hiding and priority are applied to the composition as it is explored; a
//! composition is ERROR as soon as one component is, and END when all its processes are (SEEDS correction 8:
//! termination of some while others wait is a deadlock). Propositions of the same name are joined.
//! Naive twin: `naive_product` in the tests, binary and by the letter of Def. 5.

use crate::{
    ActionId, Alphabet, Lks, PropositionId, PropositionNames, PropositionSet, StateId, StateMark, Successors,
};
use base::{Id, IndexVec};
use smallvec::SmallVec;
use std::sync::Arc;

base::define_id!(
    /// A component of one composition.
    ComponentId,
    "component"
);

base::define_id!(
    /// What components agree on when they move: an action before hiding. [`SyncId::SILENT`] is a component's own
    /// silent step.
    SyncId,
    "sync"
);

impl SyncId {
    /// The silent step of one component alone.
    pub const SILENT: SyncId = SyncId(0);
}

/// What a component is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It is part of the system: while it has not terminated, neither has the system.
    Process,
    /// It only watches (an FSP `property`): it is not waited for.
    Watcher,
}

/// One component of a composition.
#[derive(Clone, Debug)]
pub struct Component {
    /// How counterexamples call it.
    pub name: Arc<str>,
    /// How it behaves.
    pub lks: Arc<Lks>,
    /// What it is there for.
    pub role: Role,
}

impl Component {
    /// A part of the system, called as its structure is.
    pub fn process(lks: impl Into<Arc<Lks>>) -> Component {
        let lks = lks.into();
        Component { name: Arc::from(lks.name()), lks, role: Role::Process }
    }
}

/// Which way a priority set works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PriorityKind {
    /// FSP's `<<`: where one of the actions is possible, the others are not.
    High,
    /// FSP's `>>`: where another action is possible, these are not.
    Low,
}

/// A priority over the actions of a composition, before hiding.
#[derive(Clone, Debug)]
pub struct Priority {
    /// Which way it works.
    pub kind: PriorityKind,
    /// The actions by name.
    pub actions: Vec<Arc<str>>,
}

/// A state of a composition: the states of its components, packed into bits.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SystemState {
    words: SmallVec<[u64; 2]>,
}

impl std::fmt::Debug for SystemState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:x?}", self.words.as_slice())
    }
}

/// One transition of a composition with all that is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What the movers agreed on.
    pub sync: SyncId,
    /// The action as seen from outside, after hiding.
    pub action: ActionId,
    /// The first component that moves; for a silent step the only one.
    pub mover: ComponentId,
    /// Where it leads.
    pub target: SystemState,
}

/// Where a component's state sits in the words of a [`SystemState`].
#[derive(Clone, Copy, Debug)]
struct Field {
    word: u32,
    shift: u32,
    mask: u64,
}

/// The parallel composition of components.
#[derive(Clone, Debug)]
pub struct Composition {
    components: IndexVec<ComponentId, Component>,
    fields: IndexVec<ComponentId, Field>,
    words: usize,
    to_sync: IndexVec<ComponentId, IndexVec<ActionId, SyncId>>,
    sync_names: IndexVec<SyncId, Arc<str>>,
    /// Who takes part, each with its own id of the action; in order of components.
    participants: IndexVec<SyncId, SmallVec<[(ComponentId, ActionId); 2]>>,
    shown: IndexVec<SyncId, ActionId>,
    alphabet: Alphabet,
    propositions: PropositionNames,
    to_proposition: IndexVec<ComponentId, Vec<PropositionId>>,
    /// For each sync, is it in the priority set?
    priority: Option<(PriorityKind, IndexVec<SyncId, bool>)>,
}

impl Composition {
    /// The composition of the components, nothing hidden, no priority.
    pub fn new(components: Vec<Component>) -> Composition {
        let components: IndexVec<ComponentId, Component> = components.into_iter().collect();
        let mut syncs = Alphabet::new();
        let mut participants: IndexVec<SyncId, SmallVec<[(ComponentId, ActionId); 2]>> =
            std::iter::once(SmallVec::new()).collect();
        let mut to_sync = IndexVec::new();
        let mut propositions = PropositionNames::new();
        let mut to_proposition = IndexVec::new();
        let mut fields = IndexVec::new();
        let (mut word, mut used) = (0u32, 0u32);
        for (id, component) in components.iter_enumerated() {
            let own = component.lks.alphabet();
            let map: IndexVec<ActionId, SyncId> = own
                .ids()
                .map(|action| SyncId::from_index(syncs.intern_shared(&own.shared_name(action)).index()))
                .collect();
            for action in own.visible() {
                let sync = map[action];
                if sync.index() == participants.len() {
                    participants.push(SmallVec::new());
                }
                participants[sync].push((id, action));
            }
            to_sync.push(map);
            let names = component.lks.propositions();
            to_proposition.push(names.ids().map(|own| propositions.intern(names.name(own))).collect());
            let bits = usize::BITS - component.lks.state_count().saturating_sub(1).leading_zeros();
            if used + bits > 64 {
                word += 1;
                used = 0;
            }
            fields.push(Field { word, shift: if bits == 0 { 0 } else { used }, mask: (1u64 << bits) - 1 });
            used += bits;
        }
        Composition {
            components,
            fields,
            words: word as usize + 1,
            to_sync,
            sync_names: syncs.ids().map(|id| syncs.shared_name(id)).collect(),
            participants,
            shown: syncs.ids().map(|id| ActionId::from_index(id.index())).collect(),
            alphabet: syncs,
            propositions,
            to_proposition,
            priority: None,
        }
    }

    /// The same composition with the actions of these names seen as silent.
    #[must_use]
    pub fn hiding(mut self, is_hidden: impl Fn(&str) -> bool) -> Composition {
        let mut alphabet = Alphabet::new();
        for sync in self.sync_names.ids().skip(1) {
            let name = &self.sync_names[sync];
            self.shown[sync] = if self.shown[sync].is_silent() || is_hidden(name) {
                ActionId::TAU
            } else {
                alphabet.intern_shared(name)
            };
        }
        self.alphabet = alphabet;
        self
    }

    /// The same composition under a priority. Names that no component has are ignored.
    #[must_use]
    pub fn with_priority(mut self, priority: &Priority) -> Composition {
        let mut inside = IndexVec::filled(false, self.sync_names.len());
        for sync in self.sync_names.ids().skip(1) {
            inside[sync] = priority.actions.contains(&self.sync_names[sync]);
        }
        self.priority = Some((priority.kind, inside));
        self
    }

    /// The components.
    pub fn components(&self) -> &IndexVec<ComponentId, Component> {
        &self.components
    }

    /// The state of one component within a state of the composition.
    pub fn component_state(&self, state: &SystemState, component: ComponentId) -> StateId {
        let Field { word, shift, mask } = self.fields[component];
        StateId::from_index((state.words[word as usize] >> shift & mask) as usize)
    }

    /// The states of all components, in order.
    pub fn component_states(&self, state: &SystemState) -> SmallVec<[StateId; 8]> {
        self.components.ids().map(|component| self.component_state(state, component)).collect()
    }

    /// The state of the composition in which the components are in these states.
    pub fn state_of(&self, states: &[StateId]) -> SystemState {
        assert_eq!(states.len(), self.components.len(), "one state per component");
        let mut packed = SystemState { words: SmallVec::from_elem(0, self.words) };
        self.components
            .ids()
            .zip(states)
            .for_each(|(component, &state)| self.place(&mut packed, component, state));
        packed
    }

    fn place(&self, state: &mut SystemState, component: ComponentId, to: StateId) {
        let Field { word, shift, mask } = self.fields[component];
        let word = &mut state.words[word as usize];
        *word = *word & !(mask << shift) | (to.index() as u64) << shift;
    }

    /// All synchronisations, the silent one first.
    pub fn syncs(&self) -> impl DoubleEndedIterator<Item = SyncId> + ExactSizeIterator + use<> {
        self.sync_names.ids()
    }

    /// The name of an action before hiding.
    pub fn sync_name(&self, sync: SyncId) -> &str {
        &self.sync_names[sync]
    }

    /// The action of a component as the composition knows it before hiding.
    pub fn sync_of(&self, component: ComponentId, action: ActionId) -> SyncId {
        self.to_sync[component][action]
    }

    /// How a synchronisation is seen from outside.
    pub fn shown(&self, sync: SyncId) -> ActionId {
        self.shown[sync]
    }

    /// Who takes part in a synchronisation, each with its own id of the action. None for [`SyncId::SILENT`].
    pub fn participants(&self, sync: SyncId) -> &[(ComponentId, ActionId)] {
        &self.participants[sync]
    }

    /// Who moves in a step.
    pub fn movers(&self, step: &Step) -> SmallVec<[ComponentId; 4]> {
        if step.sync == SyncId::SILENT {
            SmallVec::from_slice(&[step.mover])
        } else {
            self.participants[step.sync].iter().map(|&(component, _)| component).collect()
        }
    }

    /// Is a priority in force?
    pub fn has_priority(&self) -> bool {
        self.priority.is_some()
    }

    /// Appends the transitions of a state with all that is known about them.
    pub fn steps(&self, state: &SystemState, out: &mut Vec<Step>) {
        if Successors::mark(self, state) == StateMark::Error {
            return;
        }
        let from = out.len();
        let locals = self.component_states(state);
        for (id, component) in self.components.iter_enumerated() {
            let local = locals[id.index()];
            let (actions, targets) = (component.lks.actions(local), component.lks.targets(local));
            let mut at = 0;
            while at < actions.len() {
                let action = actions[at];
                let run = actions[at..].iter().take_while(|&&other| other == action).count();
                self.steps_by(state, &locals, id, action, &targets[at..at + run], out);
                at += run;
            }
        }
        if let Some((kind, inside)) = &self.priority {
            apply_priority(*kind, inside, from, out);
        }
    }

    /// The steps that `id` leads under `action`: its own, and those it is the first participant of.
    fn steps_by(
        &self,
        state: &SystemState,
        locals: &[StateId],
        id: ComponentId,
        action: ActionId,
        targets: &[StateId],
        out: &mut Vec<Step>,
    ) {
        let sync = self.to_sync[id][action];
        let others: &[(ComponentId, ActionId)] = match self.participants[sync].split_first() {
            None => &[],
            Some((first, rest)) if first.0 == id => rest,
            Some(_) => return,
        };
        let is_ready = |&(other, action): &(ComponentId, ActionId)| {
            self.components[other].lks.offers(locals[other.index()], action)
        };
        if !others.iter().all(is_ready) {
            return;
        }
        let from = out.len();
        for &target in targets {
            let mut next = state.clone();
            self.place(&mut next, id, target);
            out.push(Step { sync, action: self.shown[sync], mover: id, target: next });
        }
        for &(other, action) in others {
            let choices = self.components[other].lks.successors_by(locals[other.index()], action);
            let so_far = out.len();
            for at in from..so_far {
                for &choice in &choices[1..] {
                    let mut step = out[at].clone();
                    self.place(&mut step.target, other, choice);
                    out.push(step);
                }
                self.place(&mut out[at].target, other, choices[0]);
            }
        }
    }
}

fn apply_priority(kind: PriorityKind, inside: &IndexVec<SyncId, bool>, from: usize, out: &mut Vec<Step>) {
    let preferred = |step: &Step| inside[step.sync] == (kind == PriorityKind::High);
    if out[from..].iter().any(preferred) {
        let mut at = 0;
        out.retain(|step| {
            at += 1;
            at <= from || preferred(step)
        });
    }
}

impl Successors for Composition {
    type State = SystemState;

    fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    fn propositions(&self) -> &PropositionNames {
        &self.propositions
    }

    fn initial_states(&self) -> Vec<SystemState> {
        let mut states = vec![SystemState { words: SmallVec::from_elem(0, self.words) }];
        for (id, component) in self.components.iter_enumerated() {
            let placed = |state: &SystemState, local| {
                let mut state = state.clone();
                self.place(&mut state, id, local);
                state
            };
            states = component
                .lks
                .initial()
                .iter()
                .flat_map(|&local| states.iter().map(move |state| (state, local)))
                .map(|(state, local)| placed(state, local))
                .collect();
        }
        states
    }

    fn successors(&self, state: &SystemState, out: &mut Vec<(ActionId, SystemState)>) {
        let mut steps = Vec::new();
        self.steps(state, &mut steps);
        out.extend(steps.into_iter().map(|step| (step.action, step.target)));
    }

    fn mark(&self, state: &SystemState) -> StateMark {
        let mut mark = StateMark::Plain;
        let mut running = false;
        for (id, component) in self.components.iter_enumerated() {
            match component.lks.mark(self.component_state(state, id)) {
                StateMark::Error => return StateMark::Error,
                StateMark::End => mark = StateMark::End,
                StateMark::Plain => running |= component.role == Role::Process,
            }
        }
        if running { StateMark::Plain } else { mark }
    }

    fn label(&self, state: &SystemState) -> PropositionSet {
        let mut set = PropositionSet::new();
        for (id, component) in self.components.iter_enumerated() {
            let map = &self.to_proposition[id];
            if !map.is_empty() {
                let own = component.lks.label(self.component_state(state, id));
                own.iter().for_each(|proposition| set.insert(map[proposition.index()]));
            }
        }
        set
    }

    fn describe(&self, state: &SystemState) -> String {
        let parts: Vec<String> = self
            .components
            .iter_enumerated()
            .map(|(id, component)| component.lks.describe(&self.component_state(state, id)))
            .collect();
        format!("({})", parts.join(", "))
    }
}
