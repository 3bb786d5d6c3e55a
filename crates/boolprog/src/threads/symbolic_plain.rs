//! Plain symbolic exploration: explicit program counters of all threads, one decision diagram over the shared variables
//! and the rows of all threads. No symmetry is used; this is the reference of BOOM 7.5.1 ("plain"), and with ample sets
//! the one of BOOM 6.2.
//!
//! Ample sets on sets of states: BOOM counts a condition as a write, because taking it narrows the set for the others
//! (Example 6.1). DIVERGENCE: the set is parted instead; a thread goes alone only from the states in which it can go at
//! all, the others are expanded fully. The cycle condition is BOOM's: no reduction where the thread takes a back edge.

// A diagram is hashed and compared by its node, which never changes while a handle exists.
#![allow(clippy::mutable_key_type)]

use super::counters::Reductions;
use super::encoding::{Encoding, Relation};
use super::flat::{FlatEdge, FlatProgram, SpotId};
use super::footprint::Footprints;
use super::run::{self, NumberedRun};
use super::thread_state::{LocalId, LocalState, MicroStep, SharedState, ThreadStates};
use crate::graph::Action;
use crate::question::{Outcome, Question};
use crate::values::Values;
use base::{Budget, Id, IndexVec};
use logic::bdd::{Bdd, BddVariable, NodeLimitReached, Renaming};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use verdict::{Reason, Undecided};

/// Where each thread is and whether it is in an atomic section; `None` for a place nobody has.
type Counters = Vec<Option<(SpotId, bool)>>;

struct State {
    counters: Counters,
    set: Bdd,
    origin: Option<Origin>,
}

#[derive(Clone)]
struct Origin {
    before: usize,
    position: usize,
    step: FlatEdge,
    started: Option<usize>,
}

/// An edge's relation for the thread at one position.
struct Positioned {
    generic: Relation,
    relation: Bdd,
    fails: Bdd,
    assigned: Bdd,
    renaming: Option<Renaming>,
}

/// What was found.
#[derive(Debug)]
pub struct Explored {
    /// The answer.
    pub outcome: Outcome,
    /// Sets of states explored.
    pub states: u64,
}

struct Search<'a, 'p> {
    states: &'a mut ThreadStates<'p>,
    question: &'a Question,
    encoding: Encoding,
    /// The rows by position, and the renaming of the generic row to each.
    rows: Vec<Vec<BddVariable>>,
    to_row: Vec<Renaming>,
    relations: FxHashMap<(SpotId, usize), Rc<Vec<Positioned>>>,
    known: FxHashMap<Counters, Bdd>,
    list: Vec<State>,
    footprints: Option<Footprints>,
    back: IndexVec<SpotId, bool>,
}

enum Stop {
    Open(Undecided),
    Nodes(NodeLimitReached),
}

impl From<NodeLimitReached> for Stop {
    fn from(limit: NodeLimitReached) -> Stop {
        Stop::Nodes(limit)
    }
}

/// Explores all interleavings of a bounded number of threads; of the reductions only ample sets apply.
pub fn explore(
    states: &mut ThreadStates<'_>,
    question: &Question,
    reductions: Reductions,
    budget: &Budget,
) -> Explored {
    let open = |stop: Stop| match stop {
        Stop::Open(open) => Outcome::Undecided(open),
        Stop::Nodes(limit) => {
            let reason = Reason::SizeLimit { what: "BDD nodes", limit: limit.limit as u64 };
            Outcome::Undecided(Undecided::because(reason).try_next("take an engine with counters"))
        }
    };
    let starts = states.flat.program.has_threads();
    let most = if starts { question.most_threads } else { Some(question.roots.len()) };
    let Some(most) = most.map(|most| most.max(question.roots.len())) else {
        let why = "it has a row of variables per thread, so it needs a bound".to_owned();
        let reason = Reason::EngineCannot { engine: "symbolic-plain", why };
        return Explored { outcome: Outcome::Undecided(Undecided::because(reason)), states: 0 };
    };
    let footprints = reductions.ample.then(|| Footprints::new(&states.flat, true));
    let back = with_back_edge(&states.flat);
    let made = Encoding::new(&states.flat).and_then(|encoding| {
        let rows = encoding.manager.add_interleaved(states.flat.row, most);
        let to_row: Result<Vec<Renaming>, NodeLimitReached> = rows
            .iter()
            .map(|row| {
                let pairs: Vec<(BddVariable, BddVariable)> =
                    encoding.row.iter().copied().zip(row.iter().copied()).collect();
                encoding.manager.variable_renaming(&pairs)
            })
            .collect();
        Ok((encoding, rows, to_row?))
    });
    let (encoding, rows, to_row) = match made {
        Ok(made) => made,
        Err(limit) => return Explored { outcome: open(limit.into()), states: 0 },
    };
    let mut search = Search {
        states,
        question,
        encoding,
        rows,
        to_row,
        relations: FxHashMap::default(),
        known: FxHashMap::default(),
        list: Vec::new(),
        footprints,
        back,
    };
    let outcome = search.run(budget).unwrap_or_else(open);
    Explored { outcome, states: search.list.len() as u64 }
}

/// Spots with an edge that closes a loop of the flat graph.
fn with_back_edge(flat: &FlatProgram<'_>) -> IndexVec<SpotId, bool> {
    let mut back = IndexVec::filled(false, flat.spots.len());
    // 0: new, 1: open, 2: done.
    let mut marks: IndexVec<SpotId, u8> = IndexVec::filled(0, flat.spots.len());
    for root in flat.spots.ids() {
        let mut stack = if marks[root] == 0 { vec![(root, 0)] } else { Vec::new() };
        marks[root] = marks[root].max(1);
        while let Some((spot, next)) = stack.pop() {
            let Some(step) = flat.spots[spot].edges.get(next) else {
                marks[spot] = 2;
                continue;
            };
            stack.push((spot, next + 1));
            if let Some(to) = step.to {
                match marks[to] {
                    0 => {
                        marks[to] = 1;
                        stack.push((to, 0));
                    }
                    1 => back[spot] = true,
                    _ => {}
                }
            }
        }
    }
    back
}

impl Search<'_, '_> {
    fn run(&mut self, budget: &Budget) -> Result<Outcome, Stop> {
        let mut counters: Counters = vec![None; self.rows.len()];
        for (position, root) in self.question.roots.iter().enumerate() {
            counters[position] = Some((self.states.flat.entry(*root), false));
        }
        let set = self.encoding.initial_globals(&self.states.flat)?;
        self.add(State { counters, set, origin: None })?;
        let mut at = 0;
        while at < self.list.len() {
            budget.check().map_err(|limit| Stop::Open(limit.into()))?;
            if let Some(outcome) = self.expand(at)? {
                return Ok(outcome);
            }
            at += 1;
        }
        Ok(Outcome::Holds)
    }

    fn add(&mut self, mut state: State) -> Result<(), Stop> {
        if let Some(known) = self.known.get(&state.counters) {
            state.set = state.set.minus(known)?;
            if state.set.is_false() {
                return Ok(());
            }
            let all = known.or(&state.set)?;
            self.known.insert(state.counters.clone(), all);
        } else {
            self.known.insert(state.counters.clone(), state.set.clone());
        }
        self.list.push(state);
        Ok(())
    }

    fn relations(&mut self, spot: SpotId, position: usize) -> Result<Rc<Vec<Positioned>>, Stop> {
        if let Some(known) = self.relations.get(&(spot, position)) {
            return Ok(known.clone());
        }
        let flat = &self.states.flat;
        let mut made = Vec::new();
        for step in &flat.spots[spot].edges {
            let generic = self.encoding.relation(flat, spot, step)?;
            let mine = |variable: BddVariable| {
                let slot = self.encoding.row.iter().position(|known| *known == variable);
                slot.map_or(variable, |slot| self.rows[position][slot])
            };
            let before: Vec<BddVariable> = generic.pairs.iter().map(|(before, _)| mine(*before)).collect();
            let back: Vec<(BddVariable, BddVariable)> =
                generic.pairs.iter().map(|(before, after)| (*after, mine(*before))).collect();
            made.push(Positioned {
                relation: generic.relation.substitute(&self.to_row[position])?,
                fails: generic.fails.substitute(&self.to_row[position])?,
                assigned: self.encoding.manager.variable_set(&before)?,
                renaming: if back.is_empty() {
                    None
                } else {
                    Some(self.encoding.manager.variable_renaming(&back)?)
                },
                generic,
            });
        }
        let made = Rc::new(made);
        self.relations.insert((spot, position), made.clone());
        Ok(made)
    }

    fn expand(&mut self, at: usize) -> Result<Option<Outcome>, Stop> {
        let (counters, set) = (self.list[at].counters.clone(), self.list[at].set.clone());
        let alone = counters.iter().position(|thread| thread.is_some_and(|(_, atomic)| atomic));
        let movers: Vec<(usize, SpotId)> = counters
            .iter()
            .enumerate()
            .filter(|(position, _)| alone.is_none_or(|alone| alone == *position))
            .filter_map(|(position, thread)| Some((position, (*thread)?.0)))
            .collect();
        for (position, spot) in &movers {
            let relations = self.relations(*spot, *position)?;
            let steps = self.states.flat.spots[*spot].edges.clone();
            for (step, relation) in steps.iter().zip(relations.iter()) {
                let failing = set.and(&relation.fails)?;
                if !failing.is_false() {
                    return Ok(Some(self.violated(at, *position, step, &failing)?));
                }
            }
        }
        let mut rest = set;
        if self.footprints.is_some() && alone.is_none() {
            for (position, spot) in &movers {
                if !self.goes_unnoticed(*position, *spot, &movers) {
                    continue;
                }
                let mut able = self.encoding.manager.constant(false);
                for relation in self.relations(*spot, *position)?.iter() {
                    let next: Vec<BddVariable> =
                        relation.generic.pairs.iter().map(|(_, next)| *next).collect();
                    able =
                        able.or(&relation.relation.exists(&self.encoding.manager.variable_set(&next)?)?)?;
                }
                let part = rest.and(&able)?;
                if !part.is_false() {
                    rest = rest.minus(&part)?;
                    self.step(at, &counters, &part, *position, *spot)?;
                }
            }
        }
        if !rest.is_false() {
            for (position, spot) in &movers {
                self.step(at, &counters, &rest, *position, *spot)?;
            }
        }
        Ok(None)
    }

    /// BOOM Alg. 6.1 for the thread at a position.
    fn goes_unnoticed(&self, position: usize, spot: SpotId, threads: &[(usize, SpotId)]) -> bool {
        let footprints = self.footprints.as_ref().expect("made for ample sets");
        let mine = &footprints.now[spot];
        let others = threads.iter().filter(|(other, _)| *other != position);
        !footprints.enters_atomic[spot]
            && !self.back[spot]
            && others
                .into_iter()
                .all(|(_, spot)| !mine.conflicts_with(&footprints.later[*spot], footprints.count))
    }

    fn step(
        &mut self,
        at: usize,
        counters: &Counters,
        set: &Bdd,
        position: usize,
        spot: SpotId,
    ) -> Result<(), Stop> {
        let relations = self.relations(spot, position)?;
        let steps = self.states.flat.spots[spot].edges.clone();
        let was_atomic = counters[position].is_some_and(|(_, atomic)| atomic);
        let running = counters.iter().flatten().count();
        for (step, relation) in steps.iter().zip(relations.iter()) {
            let mut after = set.and_exists(&relation.relation, &relation.assigned)?;
            if let Some(renaming) = &relation.renaming {
                after = after.substitute(renaming)?;
            }
            if after.is_false() {
                continue;
            }
            let mut counters = counters.clone();
            let atomic = match self.states.flat.edge(step).action {
                Action::AtomicBegin => true,
                Action::AtomicEnd => false,
                _ => was_atomic && step.to.is_some(),
            };
            let mut started = None;
            if let Some(start) = step.starts.filter(|_| self.question.may_start_thread(running)) {
                let free =
                    counters.iter().position(Option::is_none).expect("as many rows as threads may run");
                after = after.and(&self.start(spot, position, step, start, free)?)?;
                counters[free] = Some((start, false));
                started = Some(free);
            }
            counters[position] = step.to.map(|to| (to, atomic));
            let live = step.to.map(|to| &self.states.flat.spots[to].live);
            let dead: Vec<BddVariable> = (0..self.states.flat.row)
                .filter(|slot| live.is_none_or(|live| !live.get(*slot)))
                .map(|slot| self.rows[position][slot])
                .collect();
            if !dead.is_empty() {
                after = after.exists(&self.encoding.manager.variable_set(&dead)?)?;
            }
            let origin = Origin { before: at, position, step: step.clone(), started };
            self.add(State { counters, set: after, origin: Some(origin) })?;
        }
        Ok(())
    }

    /// The row of a started thread, tied to the one that starts it.
    fn start(
        &self,
        spot: SpotId,
        from: usize,
        step: &FlatEdge,
        start: SpotId,
        to: usize,
    ) -> Result<Bdd, Stop> {
        let flat = &self.states.flat;
        let context = flat.spots[spot].context;
        let offset = flat.contexts[context].offset;
        let live = &flat.spots[start].live;
        let mut tied = self.encoding.manager.constant(true);
        match &flat.edge(step).action {
            Action::StartThread { at } => {
                let length = flat.program.procedures()[flat.program.procedure_of(*at)].variables.len();
                for slot in (0..length).filter(|slot| live.get(*slot)) {
                    let theirs = self.encoding.manager.variable(self.rows[to][slot])?;
                    let mine = self.encoding.manager.variable(self.rows[from][offset + slot])?;
                    tied = tied.and(&theirs.equivalent(&mine)?)?;
                }
            }
            Action::Async { arguments, .. } => {
                for (slot, argument) in arguments.iter().enumerate().filter(|(slot, _)| live.get(*slot)) {
                    let value = self.encoding.before(flat, context, argument)?;
                    let theirs = self.encoding.manager.variable(self.rows[to][slot])?;
                    let (yes, no) =
                        (value.yes.substitute(&self.to_row[from])?, value.no.substitute(&self.to_row[from])?);
                    tied = tied.and(&theirs.ite(&yes, &no)?)?;
                }
            }
            _ => {}
        }
        Ok(tied)
    }

    fn pick(&self, set: &Bdd) -> (Values, Vec<Values>) {
        let cube = set.pick_cube().expect("a set that is not empty");
        let read = |variables: &[BddVariable]| {
            let mut values = Values::falses(variables.len());
            for (slot, variable) in variables.iter().enumerate() {
                values.set(slot, cube[variable.index()] == Some(true));
            }
            values
        };
        (read(&self.encoding.globals), self.rows.iter().map(|row| read(row)).collect())
    }

    fn local(&mut self, thread: (SpotId, bool), row: &Values) -> LocalId {
        self.states.number_local(LocalState { spot: thread.0, atomic: thread.1, row: row.clone() })
    }

    /// One concrete run, chosen from behind.
    fn violated(&mut self, at: usize, failing: usize, step: &FlatEdge, set: &Bdd) -> Result<Outcome, Stop> {
        let (mut globals, mut rows) = self.pick(set);
        let counters = self.list[at].counters.clone();
        let failure = (self.local(counters[failing].expect("it runs"), &rows[failing]), step.edge);
        let mut steps: Vec<(LocalId, Vec<MicroStep>)> = Vec::new();
        let mut at = at;
        while let Some(origin) = self.list[at].origin.clone() {
            let after = self.list[at].counters.clone();
            let before = self.list[origin.before].counters.clone();
            let mover = before[origin.position].expect("the mover runs");
            let possible = self.before(&origin, &before, &after, &globals, &rows)?;
            let atomic = after.iter().flatten().any(|(_, atomic)| *atomic);
            let micro = MicroStep {
                edge: origin.step.edge,
                shared: self.states.number_shared(SharedState { globals: globals.clone(), atomic }),
                local: after[origin.position].map(|thread| self.local(thread, &rows[origin.position])),
                started: origin
                    .started
                    .map(|new| self.local(after[new].expect("it was started"), &rows[new])),
            };
            (globals, rows) = self.pick(&possible);
            steps.push((self.local(mover, &rows[origin.position]), vec![micro]));
            at = origin.before;
        }
        steps.reverse();
        let first = self.list[at].counters.clone();
        let shared = self.states.number_shared(SharedState { globals, atomic: false });
        let locals: Vec<LocalId> = (0..self.question.roots.len())
            .map(|position| self.local(first[position].expect("a root"), &rows[position]))
            .collect();
        let run = NumberedRun { shared, locals, steps, failure };
        Ok(run::confirm(self.states, self.question, &run))
    }

    /// The states before a step that led to these values.
    fn before(
        &mut self,
        origin: &Origin,
        before: &Counters,
        after: &Counters,
        globals: &Values,
        rows: &[Values],
    ) -> Result<Bdd, Stop> {
        let (spot, _) = before[origin.position].expect("the mover runs");
        let relations = self.relations(spot, origin.position)?;
        let flat = &self.states.flat;
        let edges = &flat.spots[spot].edges;
        let index = edges.iter().position(|step| step.edge == origin.step.edge).expect("an edge of the spot");
        let live = after[origin.position].map(|(to, _)| &flat.spots[to].live);
        let mine = &rows[origin.position];
        let generic = self.encoding.preimage(&relations[index].generic, live, globals, mine)?;
        let mut possible =
            self.list[origin.before].set.and(&generic.substitute(&self.to_row[origin.position])?)?;
        for (position, thread) in before.iter().enumerate() {
            if position != origin.position && thread.is_some() {
                possible =
                    possible.and(&self.encoding.agree(&self.rows[position], &rows[position], |_| true)?)?;
            }
        }
        if let (Some(new), Some(start)) = (origin.started, origin.step.starts) {
            let tied = self.start(spot, origin.position, &origin.step, start, new)?;
            let live = &flat.spots[start].live;
            let theirs = self.encoding.agree(&self.rows[new], &rows[new], |slot| live.get(slot))?;
            let row = self.encoding.manager.variable_set(&self.rows[new])?;
            possible = possible.and(&tied.and(&theirs)?.exists(&row)?)?;
        }
        Ok(possible)
    }
}
