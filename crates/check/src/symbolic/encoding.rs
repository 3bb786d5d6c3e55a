//! Components as bits, actions as relations over the bits of those who take part.

use crate::outcome::Stopped;
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

type Made<T> = Result<T, NodeLimitReached>;

/// The bits of one component, before and after a step; lowest first.
struct Bits {
    now: Vec<BddVariable>,
    after: Vec<BddVariable>,
}

/// An action with who takes part and what it does to their bits.
pub(super) struct Event {
    /// How the step is seen from outside.
    pub shown: ActionId,
    relation: Bdd,
    /// States in which it is possible.
    pub enabled: Bdd,
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
    pub fn new(system: &'a Composition) -> Made<Encoding<'a>> {
        let manager = BddManager::new(settings_for(system));
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
    fn cube(&self, id: ComponentId, state: StateId, is_after: bool) -> Made<Bdd> {
        let variables = if is_after { &self.bits[id].after } else { &self.bits[id].now };
        let literals: Vec<(BddVariable, bool)> =
            variables.iter().enumerate().map(|(bit, v)| (*v, state.index() >> bit & 1 == 1)).collect();
        self.manager.cube(&literals)
    }

    fn any_of(&self, id: ComponentId, states: &[StateId]) -> Made<Bdd> {
        let cubes = states.iter().map(|state| self.cube(id, *state, false)).collect::<Made<Vec<Bdd>>>()?;
        self.disjunction(cubes)
    }

    /// Balanced, so that the partial results stay small.
    fn disjunction(&self, mut parts: Vec<Bdd>) -> Made<Bdd> {
        while parts.len() > 1 {
            parts = parts
                .chunks(2)
                .map(|pair| match pair {
                    [left, right] => left.or(right),
                    [single] => Ok(single.clone()),
                    _ => unreachable!("chunks of at most two"),
                })
                .collect::<Made<Vec<Bdd>>>()?;
        }
        Ok(parts.pop().unwrap_or_else(|| self.manager.constant(false)))
    }

    fn make_events(&mut self) -> Made<()> {
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

    fn event(&self, shown: ActionId, parts: &[(ComponentId, ActionId)]) -> Made<Event> {
        let mut relation = self.manager.constant(true);
        let mut enabled = self.manager.constant(true);
        let (mut now, mut after) = (Vec::new(), Vec::new());
        for (id, action) in parts {
            let lks: &Lks = &self.system.components()[*id].lks;
            let (mut steps, mut sources) = (Vec::new(), Vec::new());
            for state in lks.states() {
                let targets = lks.successors_by(state, *action);
                if targets.is_empty() {
                    continue;
                }
                let source = self.cube(*id, state, false)?;
                let targets =
                    targets.iter().map(|target| self.cube(*id, *target, true)).collect::<Made<Vec<Bdd>>>()?;
                steps.push(source.and(&self.disjunction(targets)?)?);
                sources.push(source);
            }
            relation = relation.and(&self.disjunction(steps)?)?;
            enabled = enabled.and(&self.disjunction(sources)?)?;
            now.extend(&self.bits[*id].now);
            after.extend(&self.bits[*id].after);
        }
        let pairs = |from: &[BddVariable], to: &[BddVariable]| -> Vec<(BddVariable, BddVariable)> {
            from.iter().copied().zip(to.iter().copied()).collect()
        };
        Ok(Event {
            shown,
            relation,
            enabled,
            now: self.manager.variable_set(&now)?,
            after: self.manager.variable_set(&after)?,
            to_now: self.manager.variable_renaming(&pairs(&after, &now))?,
            to_after: self.manager.variable_renaming(&pairs(&now, &after))?,
        })
    }

    /// One state of a set that is not empty.
    pub fn pick(&self, states: &Bdd) -> SystemState {
        let cube = states.pick_cube().expect("the set is not empty");
        let locals: Vec<StateId> = self
            .bits
            .iter()
            .map(|bits| {
                let value = |(bit, variable): (usize, &BddVariable)| {
                    usize::from(cube.get(variable.index()).copied().flatten() == Some(true)) << bit
                };
                StateId::from_index(bits.now.iter().enumerate().map(value).sum())
            })
            .collect();
        self.system.state_of(&locals)
    }

    /// The set of this one state.
    pub fn only(&self, state: &SystemState) -> Made<Bdd> {
        let mut all = self.manager.constant(true);
        for id in self.system.components().ids() {
            all = all.and(&self.cube(id, self.system.component_state(state, id), false)?)?;
        }
        Ok(all)
    }
}

impl Event {
    /// The states after the event.
    pub fn image(&self, states: &Bdd) -> Made<Bdd> {
        states.and_exists(&self.relation, &self.now)?.substitute(&self.to_now)
    }

    /// The states before the event.
    pub fn preimage(&self, states: &Bdd) -> Made<Bdd> {
        states.substitute(&self.to_after)?.and_exists(&self.relation, &self.after)
    }
}

/// A cache in proportion: its memory is taken and cleared when the manager is made, which small systems would feel.
fn settings_for(system: &Composition) -> BddSettings {
    const SMALL_SYSTEM_BITS: u32 = 24;
    let bits: u32 = system.components().iter().map(|part| part.lks.state_count().max(1).ilog2() + 1).sum();
    let default = BddSettings::default();
    if bits > SMALL_SYSTEM_BITS {
        return default;
    }
    BddSettings { cache_entries: 1 << 12, ..default }
}

/// Variables for all components, those that share much near each other, bits before and after a step side by side.
fn place_bits(system: &Composition, manager: &BddManager) -> IndexVec<ComponentId, Bits> {
    let mut bits: IndexVec<ComponentId, Bits> =
        system.components().iter().map(|_| Bits { now: Vec::new(), after: Vec::new() }).collect();
    for id in order(system) {
        let states = system.components()[id].lks.state_count();
        let count = (usize::BITS - states.saturating_sub(1).leading_zeros()) as usize;
        let mut copies = manager.add_interleaved(count, 2).into_iter();
        bits[id] =
            Bits { now: copies.next().expect("two copies"), after: copies.next().expect("two copies") };
    }
    bits
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
