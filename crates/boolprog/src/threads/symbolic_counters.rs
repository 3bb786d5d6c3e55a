//! Symbolic counter abstraction (BOOM 7.4): a state is a set of shared valuations and, for each set of local
//! states, how many threads are somewhere in it. Sets are decision diagrams; program counters and counters
//! are explicit.
//!
//! The set of global states is the product of these sets. A step that ties shared and local values together
//! leaves that form; its result is split on shared variables until every piece is a product again.
//! DIVERGENCE: BOOM splits before statements that could do so (splice statements, found in the text); here
//! the image itself is looked at (Def. 7.3, splice states), so a statement that happens not to tie values is
//! not split. Only for starting a thread, which copies values from one thread to another, are states split
//! before. Merging (BOOM 7.5.1, rule i): states that differ in the shared valuations only are kept as one
//! set, and only what is new in it is explored; that is their subsumption too. A state is also dropped if one
//! of its threads is in a part of a set that is known with all else equal (rule ii as subsumption).
//!
//! Worked example: a thread with a local `l` and a shared `s`, both open, is one state: shared {F, T}, one
//! thread in {l = F, l = T}. The step `s := l` ties them; its image is no product any more and is split on
//! `s`: shared {F} with {l = F}, and shared {T} with {l = T}.
//!
//! Naive twins: `counters`, `symbolic_plain`.

// A diagram is hashed and compared by its node, which never changes while a handle exists.
#![allow(clippy::mutable_key_type)]

use super::encoding::{Encoding, Relation, Stop};
use super::flat::{FlatEdge, FlatLocationId};
use super::run::{self, NumberedRun, NumberedStep};
use super::stacks::StackId;
use super::thread_state::{LocalId, LocalState, MicroStep, ThreadStates};
use crate::graph::Action;
use crate::setup::Setup;
use crate::trace::Trace;
use crate::values::Values;
use logic::bdd::{Bdd, BddVariable, NodeLimitReached};
use question::{Decided, Monitor, Searched};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;
use verdict::Statistics;

/// Threads that are somewhere in a set of local states: place, in an atomic section?, number of the set.
type Group = (FlatLocationId, bool, u32);

/// A state without the set of one thread: shared valuations, the other groups, that thread's place and
/// atomicity.
type AllButOne = (Bdd, Vec<(Group, u32)>, FlatLocationId, bool);

/// A symbolic state and how it came about.
struct State {
    shared: Bdd,
    atomic: bool,
    /// Groups with their counters, sorted.
    groups: Vec<(Group, u32)>,
    origin: Option<Origin>,
}

#[derive(Clone)]
struct Origin {
    before: usize,
    mover: Group,
    step: FlatEdge,
    moved: Option<Group>,
    started: Option<Group>,
}

struct Search<'a, 'p> {
    states: &'a mut ThreadStates<'p>,
    setup: &'a Setup,
    encoding: Encoding,
    sets: Vec<Bdd>,
    numbers: FxHashMap<Bdd, u32>,
    relations: FxHashMap<FlatLocationId, Rc<Vec<Relation>>>,
    list: Vec<State>,
    waiting: VecDeque<usize>,
    /// For each way to be spread over groups (and atomic or not): all shared valuations known with it.
    known: FxHashMap<(bool, Vec<(Group, u32)>), Bdd>,
    /// For each state but one thread's set: all local states known for that thread.
    known_without: FxHashMap<AllButOne, Bdd>,
    splits: u64,
}

/// Explores symbolic states with counters.
pub fn explore(
    states: &mut ThreadStates<'_>,
    setup: &Setup,
    monitor: Monitor<'_>,
    statistics: &mut Statistics,
) -> Searched<Trace> {
    let open = |stop: Stop| stop.undecided("take an explicit engine");
    let encoding = Encoding::new(&states.flat).map_err(|limit| open(limit.into()))?;
    let mut search = Search {
        states,
        setup,
        encoding,
        sets: Vec::new(),
        numbers: FxHashMap::default(),
        relations: FxHashMap::default(),
        list: Vec::new(),
        waiting: VecDeque::new(),
        known: FxHashMap::default(),
        known_without: FxHashMap::default(),
        splits: 0,
    };
    let found = search.run(monitor).map_err(open);
    statistics.count("symbolic states", search.list.len() as u64);
    statistics.count("splits", search.splits);
    found
}

impl Search<'_, '_> {
    fn number(&mut self, set: Bdd) -> u32 {
        if let Some(known) = self.numbers.get(&set) {
            return *known;
        }
        let number = self.sets.len() as u32;
        self.sets.push(set.clone());
        self.numbers.insert(set, number);
        number
    }

    fn group(&mut self, location: FlatLocationId, atomic: bool, set: &Bdd) -> Result<Group, Stop> {
        let set = self.encoding.forget_dead(&self.states.flat, location, set)?;
        Ok((location, atomic, self.number(set)))
    }

    fn relations(&mut self, location: FlatLocationId) -> Result<Rc<Vec<Relation>>, Stop> {
        if let Some(known) = self.relations.get(&location) {
            return Ok(known.clone());
        }
        let flat = &self.states.flat;
        let made: Result<Vec<Relation>, NodeLimitReached> = flat.locations[location]
            .edges
            .iter()
            .map(|step| self.encoding.relation(flat, location, step))
            .collect();
        let made = Rc::new(made?);
        self.relations.insert(location, made.clone());
        Ok(made)
    }

    fn run(&mut self, monitor: Monitor<'_>) -> Result<Decided<(), Trace>, Stop> {
        let mut groups: Vec<(Group, u32)> = Vec::new();
        let any = self.encoding.manager.constant(true);
        for root in &self.setup.roots {
            let group = self.group(self.states.flat.entry(*root), false, &any)?;
            join(&mut groups, group);
        }
        let shared = self.encoding.initial_globals(&self.states.flat)?;
        self.add(State { shared, atomic: false, groups, origin: None })?;
        while let Some(at) = self.waiting.pop_front() {
            monitor.count("symbolic states", self.list.len());
            monitor.check()?;
            if let Some(outcome) = self.expand(at)? {
                return Ok(outcome);
            }
        }
        Ok(Decided::Proved(()))
    }

    /// Keeps what is new of a state.
    fn add(&mut self, mut state: State) -> Result<(), Stop> {
        let key = (state.atomic, state.groups.clone());
        if let Some(known) = self.known.get(&key) {
            let new = state.shared.minus(known)?;
            if new.is_false() {
                return Ok(());
            }
            let all = known.or(&new)?;
            self.known.insert(key, all);
            state.shared = new;
        } else {
            self.known.insert(key, state.shared.clone());
        }
        for (index, (group, count)) in state.groups.iter().enumerate() {
            if *count != 1 {
                continue;
            }
            let mut others = state.groups.clone();
            others.remove(index);
            let key = (state.shared.clone(), others, group.0, group.1);
            let set = &self.sets[group.2 as usize];
            match self.known_without.get_mut(&key) {
                Some(known) if set.is_subset_of(known)? => return Ok(()),
                Some(known) => *known = known.or(set)?,
                None => {
                    self.known_without.insert(key, set.clone());
                }
            }
        }
        self.waiting.push_back(self.list.len());
        self.list.push(state);
        Ok(())
    }

    fn expand(&mut self, at: usize) -> Result<Option<Decided<(), Trace>>, Stop> {
        let (shared, atomic, groups) =
            (self.list[at].shared.clone(), self.list[at].atomic, self.list[at].groups.clone());
        for (mover, _) in &groups {
            if atomic && !mover.1 {
                continue;
            }
            let thread = shared.and(&self.sets[mover.2 as usize])?;
            let relations = self.relations(mover.0)?;
            let steps = self.states.flat.locations[mover.0].edges.clone();
            for (step, relation) in steps.iter().zip(relations.iter()) {
                let failing = thread.and(&relation.fails)?;
                if !failing.is_false() {
                    return Ok(Some(self.violated(at, *mover, step, &failing)?));
                }
                self.take(at, &groups, *mover, step, relation, &thread)?;
            }
        }
        Ok(None)
    }

    fn take(
        &mut self,
        at: usize,
        groups: &[(Group, u32)],
        mover: Group,
        step: &FlatEdge,
        relation: &Relation,
        thread: &Bdd,
    ) -> Result<(), Stop> {
        let running: u32 = groups.iter().map(|(_, count)| count).sum();
        let starts = step.starts.filter(|_| self.setup.may_start_thread(running as usize));
        let action = self.states.flat.edge(step).action.clone();
        let atomic = match action {
            Action::AtomicBegin => true,
            Action::AtomicEnd => false,
            _ => mover.1 && step.to.is_some(),
        };
        let mut left = groups.to_vec();
        leave(&mut left, mover);
        let pieces = if starts.is_some() { self.spliced(thread, mover, step)? } else { vec![thread.clone()] };
        for piece in pieces {
            let after = self.encoding.image(&piece, relation)?;
            if after.is_false() {
                continue;
            }
            let started = match starts {
                Some(location) => Some(self.started(mover, step, location, &piece)?),
                None => None,
            };
            let Some(to) = step.to else {
                let shared = after.exists(&self.encoding.row_set)?;
                let mut groups = left.clone();
                started.into_iter().for_each(|group| join(&mut groups, group));
                let origin = Origin { before: at, mover, step: step.clone(), moved: None, started };
                self.add(State { shared, atomic, groups, origin: Some(origin) })?;
                continue;
            };
            let after = self.encoding.forget_dead(&self.states.flat, to, &after)?;
            for (shared, local) in self.products(after)? {
                let moved = self.group(to, atomic, &local)?;
                let mut groups = left.clone();
                join(&mut groups, moved);
                started.into_iter().for_each(|group| join(&mut groups, group));
                let origin = Origin { before: at, mover, step: step.clone(), moved: Some(moved), started };
                self.add(State { shared, atomic, groups, origin: Some(origin) })?;
            }
        }
        Ok(())
    }

    /// The set as products of shared valuations and local states, split on shared variables where needed.
    fn products(&mut self, set: Bdd) -> Result<Vec<(Bdd, Bdd)>, Stop> {
        let mut found = Vec::new();
        let mut open = vec![set];
        while let Some(set) = open.pop() {
            let shared = set.exists(&self.encoding.row_set)?;
            let local = set.exists(&self.encoding.global_set)?;
            if shared.and(&local)? == set {
                found.push((shared, local));
                continue;
            }
            self.splits += 1;
            let support = set.support();
            let mut pieces = Vec::new();
            for variable in support.into_iter().filter(|variable| self.encoding.globals.contains(variable)) {
                let yes = set.and(&self.encoding.manager.literal(variable, true)?)?;
                let no = set.and(&self.encoding.manager.literal(variable, false)?)?;
                if !yes.is_false() && !no.is_false() {
                    pieces = vec![yes, no];
                    break;
                }
            }
            assert!(!pieces.is_empty(), "with every shared variable fixed a set is a product");
            open.extend(pieces);
        }
        Ok(found)
    }

    /// The thread state, split on everything that a started thread copies.
    fn spliced(&mut self, thread: &Bdd, mover: Group, step: &FlatEdge) -> Result<Vec<Bdd>, Stop> {
        let flat = &self.states.flat;
        let context = flat.locations[mover.0].context;
        let offset = flat.contexts[context].offset;
        let start = step.starts.expect("a thread is started");
        let live = &flat.locations[start].live;
        let mut variables: Vec<BddVariable> = Vec::new();
        match &flat.edge(step).action {
            Action::StartThread { at } => {
                let length = flat.program.procedures()[flat.program.procedure_of(*at)].variables.len();
                let copied = (0..length).filter(|slot| live.get(*slot));
                variables.extend(copied.map(|slot| self.encoding.row[offset + slot]));
            }
            Action::Async { arguments, .. } => {
                let read = arguments.iter().enumerate().filter(|(slot, _)| live.get(*slot));
                for (_, argument) in read {
                    argument.for_each_variable(&mut |variable, _| {
                        variables.push(match flat.slot(context, variable) {
                            Some(slot) => self.encoding.row[slot],
                            None => self.encoding.globals[flat.program.variables()[variable].slot],
                        });
                    });
                }
            }
            _ => {}
        }
        variables.sort();
        variables.dedup();
        let mut pieces = vec![thread.clone()];
        for variable in variables {
            let mut next = Vec::new();
            for piece in pieces {
                for value in [false, true] {
                    let half = piece.and(&self.encoding.manager.literal(variable, value)?)?;
                    if !half.is_false() {
                        next.push(half);
                    }
                }
            }
            pieces = next;
        }
        Ok(pieces)
    }

    /// The group of a thread that a step starts from a piece in which all it copies is fixed.
    fn started(
        &mut self,
        mover: Group,
        step: &FlatEdge,
        location: FlatLocationId,
        piece: &Bdd,
    ) -> Result<Group, Stop> {
        let flat = &self.states.flat;
        let context = flat.locations[mover.0].context;
        let offset = flat.contexts[context].offset;
        let live = &flat.locations[location].live;
        let mut literals = Vec::new();
        match &flat.edge(step).action {
            Action::StartThread { at } => {
                let length = flat.program.procedures()[flat.program.procedure_of(*at)].variables.len();
                for slot in (0..length).filter(|slot| live.get(*slot)) {
                    let set = self.encoding.manager.literal(self.encoding.row[offset + slot], true)?;
                    literals.push((self.encoding.row[slot], !piece.and(&set)?.is_false()));
                }
            }
            Action::Async { arguments, .. } => {
                for (slot, argument) in arguments.iter().enumerate().filter(|(slot, _)| live.get(*slot)) {
                    let possibly = self.encoding.before(flat, context, argument)?;
                    let yes = !piece.and(&possibly.yes)?.is_false();
                    let no = !piece.and(&possibly.no)?.is_false();
                    if yes != no {
                        literals.push((self.encoding.row[slot], yes));
                    }
                }
            }
            _ => {}
        }
        let set = self.encoding.manager.cube(&literals)?;
        self.group(location, false, &set)
    }

    /// BOOM Alg. 7.2: one concrete run, chosen from behind.
    fn violated(
        &mut self,
        at: usize,
        failing: Group,
        step: &FlatEdge,
        set: &Bdd,
    ) -> Result<Decided<(), Trace>, Stop> {
        let (mut globals, row) = self.encoding.pick(set).expect("a failing state");
        let mut rows: FxHashMap<Group, Vec<Values>> = FxHashMap::default();
        for (group, count) in self.list[at].groups.clone() {
            let (_, any) = self.encoding.pick(&self.sets[group.2 as usize]).expect("no group is empty");
            rows.insert(group, vec![any; count as usize]);
        }
        rows.get_mut(&failing).expect("the failing thread's group")[0] = row.clone();
        let failure = (self.local(failing, row), step.edge);
        let mut steps: Vec<NumberedStep> = Vec::new();
        let mut at = at;
        while let Some(origin) = self.list[at].origin.clone() {
            let after_row =
                origin.moved.map(|group| rows.get_mut(&group).and_then(Vec::pop).expect("the mover"));
            let started = origin
                .started
                .map(|group| (group, rows.get_mut(&group).and_then(Vec::pop).expect("started")));
            let shared = self.states.closed(globals.clone(), self.list[at].atomic);
            let constraint =
                self.before(&origin, &globals, after_row.as_ref(), started.as_ref().map(|(_, row)| row))?;
            let possible =
                self.list[origin.before].shared.and(&self.sets[origin.mover.2 as usize])?.and(&constraint)?;
            let (before, row) = self.encoding.pick(&possible).expect("every state has one before it");
            let micro = MicroStep {
                edge: origin.step.edge,
                settled: None,
                shared: self.states.number_shared(shared),
                local: origin.moved.zip(after_row).map(|(group, row)| self.local(group, row)),
                started: started.map(|(group, row)| self.local(group, row)),
                broadcast: None,
            };
            steps.push(NumberedStep::alone(self.local(origin.mover, row.clone()), vec![micro]));
            rows.entry(origin.mover).or_default().push(row);
            globals = before;
            at = origin.before;
        }
        steps.reverse();
        let shared = self.states.closed(globals, false);
        let shared = self.states.number_shared(shared);
        let mut locals = Vec::new();
        for root in &self.setup.roots {
            let location = self.states.flat.entry(*root);
            let group =
                *rows.iter().find(|(group, rows)| group.0 == location && !rows.is_empty()).expect("a root").0;
            let row = rows.get_mut(&group).and_then(Vec::pop).expect("not empty");
            locals.push(self.local(group, row));
        }
        let run = NumberedRun { shared, locals, steps, failure, settled: None };
        Ok(run::confirm(self.states, self.setup, &run)?)
    }

    fn local(&mut self, group: Group, row: Values) -> LocalId {
        self.states.number_local(LocalState {
            location: group.0,
            atomic: group.1,
            row,
            stack: StackId::EMPTY,
        })
    }

    /// What must have held before a step for it to lead to these values.
    fn before(
        &mut self,
        origin: &Origin,
        globals: &Values,
        row: Option<&Values>,
        started: Option<&Values>,
    ) -> Result<Bdd, Stop> {
        let relations = self.relations(origin.mover.0)?;
        let flat = &self.states.flat;
        let edges = &flat.locations[origin.mover.0].edges;
        let index =
            edges.iter().position(|step| step.edge == origin.step.edge).expect("an edge of the location");
        let none = Values::falses(flat.row);
        let live = origin.moved.map(|group| &flat.locations[group.0].live);
        let mut possible = self.encoding.preimage(&relations[index], live, globals, row.unwrap_or(&none))?;
        let (Some(started), Some(start)) = (started, origin.step.starts) else { return Ok(possible) };
        let context = flat.locations[origin.mover.0].context;
        let offset = flat.contexts[context].offset;
        let live = &flat.locations[start].live;
        match &flat.edge(&origin.step).action {
            Action::StartThread { .. } => {
                let copied = |slot: usize| slot >= offset && live.get(slot - offset);
                let mut shifted = Values::falses(flat.row);
                (offset..flat.row).for_each(|slot| shifted.set(slot, started.get(slot - offset)));
                possible = possible.and(&self.encoding.agree(&self.encoding.row, &shifted, copied)?)?;
            }
            Action::Async { arguments, .. } => {
                for (slot, argument) in arguments.iter().enumerate().filter(|(slot, _)| live.get(*slot)) {
                    let value = self.encoding.before(flat, context, argument)?;
                    possible = possible.and(if started.get(slot) { &value.yes } else { &value.no })?;
                }
            }
            _ => {}
        }
        Ok(possible)
    }
}

/// One thread more in a group.
fn join(groups: &mut Vec<(Group, u32)>, group: Group) {
    match groups.binary_search_by_key(&group, |(group, _)| *group) {
        Ok(at) => groups[at].1 += 1,
        Err(at) => groups.insert(at, (group, 1)),
    }
}

/// One thread less in a group.
fn leave(groups: &mut Vec<(Group, u32)>, group: Group) {
    let at = groups.binary_search_by_key(&group, |(group, _)| *group).expect("the mover is in its group");
    groups[at].1 -= 1;
    if groups[at].1 == 0 {
        groups.remove(at);
    }
}
