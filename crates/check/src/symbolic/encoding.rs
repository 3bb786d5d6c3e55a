//! Components as bits, actions as relations over the bits of those who take part.

use super::SymbolicSettings;
use crate::stopped::Stopped;
use base::{Id, IndexVec};
use lks::composition::ComponentId;
use lks::{ActionId, Composition, Lks, Role, StateId, SyncId, SystemState};
use logic::bdd::{Bdd, BddManager, BddSettings, BddVariable, NodeLimitReached, Renaming};
use verdict::{Reason, Undecided};

impl From<NodeLimitReached> for Stopped {
    fn from(reached: NodeLimitReached) -> Stopped {
        let reason = Reason::SizeLimit { what: "BDD nodes", limit: reached.limit as u64 };
        Stopped {
            undecided: Undecided::because(reason).try_next("use another engine, such as compositional"),
        }
    }
}

type WithinNodeLimit<T> = Result<T, NodeLimitReached>;

/// Bits before and after a step, in step with each other; those of one component lowest first.
#[derive(Clone, Default)]
pub(super) struct Bits {
    pub now: Vec<BddVariable>,
    pub after: Vec<BddVariable>,
}

/// An action with who takes part and what it does to their bits.
pub(super) struct Event {
    /// How the step is seen from outside.
    pub shown: ActionId,
    relation: Bdd,
    /// States in which it is possible.
    pub enabled: Bdd,
    /// The bits of those who take part.
    bits: Bits,
    now: Bdd,
    after: Bdd,
    to_now: Renaming,
    to_after: Renaming,
}

pub(super) struct Encoding<'a> {
    pub system: &'a Composition,
    pub manager: BddManager,
    bits: IndexVec<ComponentId, Bits>,
    pub events: Vec<Event>,
    pub initial: Bdd,
    /// Some component is in ERROR.
    pub error: Bdd,
    /// All processes have terminated.
    pub ended: Bdd,
}

impl<'a> Encoding<'a> {
    pub fn new(system: &'a Composition, limits: &SymbolicSettings) -> WithinNodeLimit<Encoding<'a>> {
        let manager = BddManager::new(settings_for(system, limits));
        let bits = place_bits(system, &manager);
        let (no, yes) = (manager.constant(false), manager.constant(true));
        let mut encoding = Encoding {
            system,
            manager,
            bits,
            events: Vec::new(),
            initial: yes.clone(),
            error: no,
            ended: yes,
        };
        for (id, component) in system.components().iter_enumerated() {
            let lks = &component.lks;
            let initial = encoding.any_of(id, lks.initial())?;
            encoding.initial = encoding.initial.and(&initial)?;
            let error = encoding.any_of(id, lks.error_states())?;
            encoding.error = encoding.error.or(&error)?;
            if component.role == Role::Process {
                let ended = encoding.any_of(id, lks.end_states())?;
                encoding.ended = encoding.ended.and(&ended)?;
            }
        }
        encoding.make_events()?;
        Ok(encoding)
    }

    /// The bits of a state; `after` for the bits after a step.
    fn cube(&self, id: ComponentId, state: StateId, is_after: bool) -> WithinNodeLimit<Bdd> {
        let variables = if is_after { &self.bits[id].after } else { &self.bits[id].now };
        self.value(variables, state.index())
    }

    fn any_of(&self, id: ComponentId, states: &[StateId]) -> WithinNodeLimit<Bdd> {
        let cubes =
            states.iter().map(|state| self.cube(id, *state, false)).collect::<WithinNodeLimit<Vec<Bdd>>>()?;
        self.disjunction(cubes)
    }

    /// Balanced, so that the partial results stay small.
    fn disjunction(&self, mut parts: Vec<Bdd>) -> WithinNodeLimit<Bdd> {
        while parts.len() > 1 {
            parts = parts
                .chunks(2)
                .map(|pair| match pair {
                    [left, right] => left.or(right),
                    [single] => Ok(single.clone()),
                    _ => unreachable!("chunks of at most two"),
                })
                .collect::<WithinNodeLimit<Vec<Bdd>>>()?;
        }
        Ok(parts.pop().unwrap_or_else(|| self.manager.constant(false)))
    }

    fn make_events(&mut self) -> WithinNodeLimit<()> {
        let mut events = Vec::new();
        for sync in self.system.syncs().skip(1) {
            let parts = self.system.participants(sync);
            events.push(self.event(self.system.shown(sync), parts)?);
        }
        for (id, component) in self.system.components().iter_enumerated() {
            if component.lks.states().any(|state| component.lks.offers(state, ActionId::TAU)) {
                events.push(self.event(self.system.shown(SyncId::SILENT), &[(id, ActionId::TAU)])?);
            }
        }
        self.events = events;
        Ok(())
    }

    fn event(&self, shown: ActionId, parts: &[(ComponentId, ActionId)]) -> WithinNodeLimit<Event> {
        let mut relation = self.manager.constant(true);
        let mut enabled = self.manager.constant(true);
        let mut bits = Bits::default();
        for (id, action) in parts {
            let lks: &Lks = &self.system.components()[*id].lks;
            let (mut steps, mut sources) = (Vec::new(), Vec::new());
            for state in lks.states() {
                let targets = lks.successors_by(state, *action);
                if targets.is_empty() {
                    continue;
                }
                let source = self.cube(*id, state, false)?;
                let targets = targets
                    .iter()
                    .map(|target| self.cube(*id, *target, true))
                    .collect::<WithinNodeLimit<Vec<Bdd>>>()?;
                steps.push(source.and(&self.disjunction(targets)?)?);
                sources.push(source);
            }
            relation = relation.and(&self.disjunction(steps)?)?;
            enabled = enabled.and(&self.disjunction(sources)?)?;
            bits.now.extend(&self.bits[*id].now);
            bits.after.extend(&self.bits[*id].after);
        }
        self.event_of(shown, relation, enabled, bits)
    }

    fn event_of(&self, shown: ActionId, relation: Bdd, enabled: Bdd, bits: Bits) -> WithinNodeLimit<Event> {
        let (now, after) = (&bits.now, &bits.after);
        let pairs = |from: &[BddVariable], to: &[BddVariable]| -> Vec<(BddVariable, BddVariable)> {
            from.iter().copied().zip(to.iter().copied()).collect()
        };
        Ok(Event {
            shown,
            relation,
            enabled,
            now: self.manager.variable_set(now)?,
            after: self.manager.variable_set(after)?,
            to_now: self.manager.variable_renaming(&pairs(after, now))?,
            to_after: self.manager.variable_renaming(&pairs(now, after))?,
            bits,
        })
    }

    /// The event together with a step of something else over its own bits.
    pub fn together(&self, event: &Event, relation: &Bdd, more: &Bits) -> WithinNodeLimit<Event> {
        let mut bits = event.bits.clone();
        bits.now.extend(&more.now);
        bits.after.extend(&more.after);
        let relation = event.relation.and(relation)?;
        self.event_of(event.shown, relation, event.enabled.clone(), bits)
    }

    /// New bits, enough for this many values.
    pub fn more_bits(&self, values: usize) -> Bits {
        bits_for(values, &self.manager)
    }

    /// The bits that stand for a value.
    pub fn value(&self, variables: &[BddVariable], value: usize) -> WithinNodeLimit<Bdd> {
        let literals: Vec<(BddVariable, bool)> =
            variables.iter().enumerate().map(|(bit, v)| (*v, value >> bit & 1 == 1)).collect();
        self.manager.cube(&literals)
    }

    /// The states in which the proposition holds.
    pub fn holding(&self, proposition: &str) -> WithinNodeLimit<Bdd> {
        let mut holding = self.manager.constant(false);
        for (id, component) in self.system.components().iter_enumerated() {
            let lks = &component.lks;
            if let Some(own) = lks.propositions().find(proposition) {
                let states: Vec<StateId> = lks.states().filter(|state| lks.holds(*state, own)).collect();
                holding = holding.or(&self.any_of(id, &states)?)?;
            }
        }
        Ok(holding)
    }

    /// The states from which nothing goes on.
    pub fn stopped(&self) -> WithinNodeLimit<Bdd> {
        let mut moving = self.manager.constant(false);
        for event in &self.events {
            moving = moving.or(&event.enabled)?;
        }
        moving.not()?.or(&self.error)
    }

    /// How many states there are in a set; what does not fit is the most there is.
    pub fn states_in(&self, states: &Bdd) -> u64 {
        let variables = self.manager.statistics().variables;
        // Bits after a step are free in the set of states: each doubles the count.
        let exact = states.count_exactly(variables).map(|count| count >> (variables / 2));
        exact.and_then(|count| u64::try_from(count).ok()).unwrap_or(u64::MAX)
    }

    /// One state of a set that is not empty.
    pub fn pick(&self, states: &Bdd) -> SystemState {
        self.pick_with(states, &[]).0
    }

    /// One state of a set that is not empty, with the value of further bits.
    pub fn pick_with(&self, states: &Bdd, more: &[BddVariable]) -> (SystemState, usize) {
        let cube = states.pick_cube().expect("the set is not empty");
        let number = |variables: &[BddVariable]| -> usize {
            let value = |(bit, variable): (usize, &BddVariable)| {
                usize::from(cube.get(variable.index()).copied().flatten() == Some(true)) << bit
            };
            variables.iter().enumerate().map(value).sum()
        };
        let locals: Vec<StateId> =
            self.bits.iter().map(|bits| StateId::from_index(number(&bits.now))).collect();
        (self.system.state_of(&locals), number(more))
    }

    /// The set of this one state.
    pub fn only(&self, state: &SystemState) -> WithinNodeLimit<Bdd> {
        let mut all = self.manager.constant(true);
        for id in self.system.components().ids() {
            all = all.and(&self.cube(id, self.system.component_state(state, id), false)?)?;
        }
        Ok(all)
    }
}

impl Event {
    /// The states after the event.
    pub fn image(&self, states: &Bdd) -> WithinNodeLimit<Bdd> {
        states.and_exists(&self.relation, &self.now)?.substitute(&self.to_now)
    }

    /// The states before the event.
    pub fn preimage(&self, states: &Bdd) -> WithinNodeLimit<Bdd> {
        states.substitute(&self.to_after)?.and_exists(&self.relation, &self.after)
    }
}

/// A cache in proportion: its memory is taken and cleared when the manager is made, which small systems would
/// feel.
fn settings_for(system: &Composition, limits: &SymbolicSettings) -> BddSettings {
    const SMALL_SYSTEM_BITS: u32 = 24;
    let bits: u32 = system.components().iter().map(|part| part.lks.state_count().max(1).ilog2() + 1).sum();
    let mut default = BddSettings::default();
    default.node_limit = limits.most_nodes.map_or(default.node_limit, |most| most.min(default.node_limit));
    if bits > SMALL_SYSTEM_BITS {
        return default;
    }
    BddSettings { cache_entries: 1 << 12, ..default }
}

/// Variables for all components, those that share much near each other, bits before and after a step side by
/// side.
fn place_bits(system: &Composition, manager: &BddManager) -> IndexVec<ComponentId, Bits> {
    let mut bits: IndexVec<ComponentId, Bits> = system.components().iter().map(|_| Bits::default()).collect();
    for id in order(system) {
        let states = system.components()[id].lks.state_count();
        bits[id] = bits_for(states, manager);
    }
    bits
}

fn bits_for(values: usize, manager: &BddManager) -> Bits {
    let count = (usize::BITS - values.saturating_sub(1).leading_zeros()) as usize;
    let mut copies = manager.add_interleaved(count, 2).into_iter();
    Bits { now: copies.next().expect("two copies"), after: copies.next().expect("two copies") }
}

/// Greedy: next comes who shares most with the few placed last, so that neighbours stay together.
fn order(system: &Composition) -> Vec<ComponentId> {
    const RECENT: usize = 3;
    let count = system.components().len();
    let mut shares = vec![vec![0usize; count]; count];
    for sync in system.syncs().skip(1) {
        let parts = system.participants(sync);
        for (left, _) in parts {
            for (right, _) in parts {
                shares[left.index()][right.index()] += 1;
            }
        }
    }
    let degree = |id: usize| (0..count).filter(|other| *other != id && shares[id][*other] > 0).count();
    let mut placed: Vec<usize> = Vec::new();
    // Those that share with almost everyone go first: everything depends on them.
    let mut rest: Vec<usize> = (0..count).collect();
    rest.sort_by_key(|id| (std::cmp::Reverse(usize::from(degree(*id) * 2 > count) * degree(*id)), *id));
    while !rest.is_empty() {
        let near = |id: usize| -> usize {
            placed
                .iter()
                .rev()
                .take(RECENT)
                .filter(|other| degree(**other) * 2 <= count)
                .map(|other| shares[id][*other])
                .sum()
        };
        let hub = degree(rest[0]) * 2 > count;
        let position = if hub {
            0
        } else {
            (0..rest.len()).max_by_key(|at| (near(rest[*at]), std::cmp::Reverse(*at))).expect("not empty")
        };
        placed.push(rest.remove(position));
    }
    placed.into_iter().map(ComponentId::from_index).collect()
}
