//! Each thread walked for itself: its blocks of steps, one after the other, each from a state in which whatever other threads write is open.
//!
//! Where paths of a thread come to one place by equally many blocks they are merged, so that a loop of one block costs one block a round.

use super::shares::{Part, Shares};
use crate::explorer::{Explorer, Goal, Level, Pending, StopRule};
use base::{Budget, Exhausted};
use logic::{Sort, TermId};
use program::{Interleaving, NodeId, ProcedureId, Program, VariableId, VariableKind};
use question::{Missing, Property};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use symbolic::{Cells, Encoder, FixedObjects, Meaning, State};

base::define_id!(
    /// What a thread does between two places where it may be interrupted, once.
    BlockId,
    "b"
);

/// A part of the state as a block finds it.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The part.
    pub part: Part,
    /// What stands for it in the block.
    pub symbol: TermId,
    /// What it is if nobody else wrote it since this thread did.
    pub own: TermId,
}

/// A part of the state as a block leaves it.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    /// The part.
    pub part: Part,
    /// When it is written.
    pub guard: TermId,
    /// What it is then.
    pub value: TermId,
}

/// What a thread does between two places where it may be interrupted, once. A thread's blocks come in the order of their numbers.
#[derive(Clone, Debug)]
pub struct Block {
    /// Whose.
    pub thread: usize,
    /// When the thread begins it.
    pub guard: TermId,
    /// When it comes to its end, and so is a step of the run.
    pub ends: TermId,
    /// What others may have written before.
    pub found: Vec<Found>,
    /// What others may find.
    pub left: Vec<Left>,
    /// The inputs that it takes.
    pub inputs: Range<usize>,
    /// The blocks that may have created the thread, each with when it did, if this is the thread's first block.
    pub after: Vec<(BlockId, TermId)>,
}

/// Rounds of loops within a block; what takes more is left out.
const MOST_ROUNDS: u32 = 24;

/// More blocks than this make no formula that is solved in time.
const MOST_BLOCKS: usize = 1_500;

/// The walk.
pub struct Walk<'p, 'a> {
    /// The symbolic walk of one block at a time.
    pub explorer: Explorer<'p, 'a>,
    /// All blocks.
    pub blocks: base::IndexVec<BlockId, Block>,
    /// What must not happen, with the block in which it would.
    pub goals: Vec<(Option<BlockId>, Goal)>,
    /// The inputs before the first block.
    pub first_inputs: Range<usize>,
    /// Is there something that was left out?
    pub is_cut_off: bool,
    /// Does a thread do what the formula has no words for: does it change which objects there are, or where addresses lie in memory?
    pub is_approximate: bool,
    main: ProcedureId,
    program: &'p Program,
    all: &'p Interleaving,
    shares: Shares,
    /// What there is when threads are chosen first.
    pub first: Option<Pending>,
    /// Where each thread may go on, by the number of the place.
    frontier: Vec<BTreeMap<i64, Vec<Pending>>>,
    /// By thread: who may have created it, and when.
    creators: Vec<Vec<(BlockId, TermId)>>,
}

impl<'p, 'a> Walk<'p, 'a> {
    /// Walks to where threads are chosen first. Nothing where the program is not made of threads, or begins in a state that cannot be said.
    pub fn begin(
        meaning: &'p Meaning<'p>,
        property: &'a Property,
        missing: Missing,
        all: &'p Interleaving,
        budget: &Budget,
    ) -> Result<Option<Walk<'p, 'a>>, Exhausted> {
        let program = meaning.program;
        let (Some(main), Some(chooser), Some(shares)) = (program.main, all.chooser, Shares::of(meaning, all))
        else {
            return Ok(None);
        };
        let mut encoder = Encoder::new(meaning);
        encoder.watch.arithmetic = property.watches_arithmetic();
        encoder.fixed_objects = Some(FixedObjects::default().walked_from_main(true));
        let (state, effect) = encoder.initial_state();
        if !effect.failures.is_empty() {
            return Ok(None);
        }
        let mut explorer = Explorer::new(encoder, property, missing, StopRule::Rounds(MOST_ROUNDS));
        explorer.ends_at = Some(chooser);
        explorer.begin_at(main, state);
        let threads = all.threads.len();
        let mut walk = Walk {
            explorer,
            blocks: base::IndexVec::new(),
            goals: Vec::new(),
            first_inputs: 0..0,
            is_cut_off: false,
            is_approximate: shares.allocates,
            main,
            program,
            all,
            shares,
            first: None,
            frontier: vec![BTreeMap::new(); threads],
            creators: vec![Vec::new(); threads],
        };
        walk.finish_block(None, budget)?;
        walk.first_inputs = 0..walk.explorer.inputs.len();
        let arrived = std::mem::take(&mut walk.explorer.arrived);
        walk.first = walk.merged(arrived.clone());
        walk.start_others(None, None, &arrived);
        walk.set_out(0, arrived);
        if let Some(draws) = all.draws_after_looking {
            walk.look_for_deadlocks(chooser, draws, budget)?;
        }
        Ok(Some(walk))
    }

    /// Is there nothing left to walk?
    pub fn is_done(&self) -> bool {
        self.frontier.iter().all(BTreeMap::is_empty)
    }

    /// Each thread makes one block more. Says whether there was room for it.
    pub fn go_on(&mut self, budget: &Budget) -> Result<bool, Exhausted> {
        for thread in 0..self.frontier.len() {
            for (number, pending) in std::mem::take(&mut self.frontier[thread]) {
                if self.blocks.len() >= MOST_BLOCKS {
                    self.is_cut_off = true;
                    return Ok(false);
                }
                self.walk_block(thread, number, pending, budget)?;
            }
        }
        Ok(true)
    }

    fn merged(&mut self, mut group: Vec<Pending>) -> Option<Pending> {
        let stack = group.first()?.stack.clone();
        group.iter_mut().for_each(|pending| pending.stack = stack.clone());
        Some(self.explorer.merge(group))
    }

    fn walk_block(
        &mut self,
        thread: usize,
        number: i64,
        group: Vec<Pending>,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let resumes = self.all.threads[thread].resumes.iter().find(|(own, _)| *own == number);
        let (Some(&(_, node)), Some(mut pending)) = (resumes, self.merged(group)) else { return Ok(()) };
        // It may as well never go on.
        let runs = self.explorer.encoder.terms.fresh("goes on", Sort::Bool);
        let Some(guard) = self.explorer.narrowed(pending.guard, runs) else { return Ok(()) };
        pending.guard = guard;
        let found = self.open(thread, &mut pending.state);
        let is_first = number == FIRST_PLACE && thread > 0;
        let after = if is_first { self.creators[thread].clone() } else { Vec::new() };
        let id = self.blocks.push(Block {
            thread,
            guard: pending.guard,
            ends: pending.guard,
            found,
            left: Vec::new(),
            inputs: 0..0,
            after,
        });
        let before = pending.state.clone();
        pending.stack = self.stack_at(node);
        let first_input = self.explorer.inputs.len();
        self.explorer.resume(pending);
        self.finish_block(Some(id), budget)?;
        let arrived = std::mem::take(&mut self.explorer.arrived);
        self.blocks[id].inputs = first_input..self.explorer.inputs.len();
        self.note_effects(id, before.clone(), &arrived);
        self.start_others(Some(id), Some(&before), &arrived);
        self.set_out(thread, arrived);
        Ok(())
    }

    /// Somebody who is no thread looks for threads that wait for ever, in whatever state the threads are.
    fn look_for_deadlocks(
        &mut self,
        chooser: NodeId,
        draws: NodeId,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let Some(mut pending) = self.first.clone() else { return Ok(()) };
        let nobody = self.all.threads.len();
        let found = self.open(nobody, &mut pending.state);
        let ends = self.explorer.encoder.terms.no();
        let (guard, first_input) = (pending.guard, self.explorer.inputs.len());
        let (left, after) = (Vec::new(), Vec::new());
        let id = self.blocks.push(Block { thread: nobody, guard, ends, found, left, inputs: 0..0, after });
        pending.stack = self.stack_at(chooser);
        self.explorer.ends_at = Some(draws);
        self.explorer.resume(pending);
        self.finish_block(Some(id), budget)?;
        self.explorer.arrived.clear();
        self.explorer.ends_at = Some(chooser);
        self.blocks[id].inputs = first_input..self.explorer.inputs.len();
        Ok(())
    }

    /// Walks until control is where threads are chosen, or the run has ended.
    fn finish_block(&mut self, id: Option<BlockId>, budget: &Budget) -> Result<(), Exhausted> {
        let mut steps = 0u32;
        while self.explorer.advance() {
            steps += 1;
            if steps.is_multiple_of(16) {
                self.explorer.encoder.terms.pool.check(budget)?;
            }
            for pending in std::mem::take(&mut self.explorer.new_rounds) {
                self.explorer.resume(pending);
            }
        }
        self.is_cut_off |= !std::mem::take(&mut self.explorer.postponed).is_empty();
        let goals = std::mem::take(&mut self.explorer.goals);
        self.goals.extend(goals.into_iter().map(|goal| (id, goal)));
        Ok(())
    }

    /// Threads that were created begin with what there is when threads are chosen first, and with what they are given.
    fn start_others(&mut self, id: Option<BlockId>, before: Option<&State>, arrived: &[Pending]) {
        for thread in 1..self.all.threads.len() {
            let counter = self.all.threads[thread].counter;
            for pending in arrived {
                let now = pending.state.register(counter);
                let old = before.and_then(|state| state.register(counter));
                let Some(now) = now.filter(|&now| Some(now) != old) else { continue };
                let Some(guard) = self.is_at_start(pending.guard, now, old) else { continue };
                let Some(mut begun) = self.first.clone() else { continue };
                begun.guard = guard;
                let given: Vec<VariableId> = self.shares.given(thread).collect();
                for variable in given {
                    for part in [Part::Register(variable), Part::IsAddress(variable)] {
                        if let Some(value) = self.value(&mut pending.state.clone(), part) {
                            self.set(&mut begun.state, part, value);
                        }
                    }
                }
                self.frontier[thread].entry(FIRST_PLACE).or_default().push(begun);
                self.creators[thread].extend(id.map(|id| (id, guard)));
            }
        }
    }

    /// When a thread stands at its start now that did not before.
    fn is_at_start(&mut self, guard: TermId, now: TermId, old: Option<TermId>) -> Option<TermId> {
        let terms = &mut self.explorer.encoder.terms;
        let width = terms.pool.width(now);
        let start = terms.number(width, FIRST_PLACE as u128);
        let mut has_come = terms.equal(now, start);
        if terms.truth(has_come) != Some(true)
            && let Some(old) = old
        {
            let was_there = terms.equal(old, start);
            let was_not = terms.not(was_there);
            has_come = terms.and(has_come, was_not);
        }
        self.explorer.narrowed(guard, has_come)
    }

    /// A node of `main`, in the first round of all loops around it.
    fn stack_at(&mut self, node: NodeId) -> Rc<Vec<Level>> {
        let rounds = vec![0; self.explorer.order(self.main).loops(node).len()];
        Rc::new(vec![Level { procedure: self.main, node, rounds, call: None }])
    }

    /// Whatever others may write is open now.
    fn open(&mut self, thread: usize, state: &mut State) -> Vec<Found> {
        let parts: Vec<Part> = self.shares.told_to(thread).collect();
        let mut found = Vec::new();
        for part in parts {
            let own = match self.value(state, part) {
                Some(value) => value,
                None => self.any_value(part),
            };
            let sort = self.explorer.encoder.terms.pool.sort(own);
            let symbol = self.explorer.encoder.terms.fresh("found", sort);
            self.set(state, part, symbol);
            found.push(Found { part, symbol, own });
        }
        found
    }

    /// What a part is; nothing where it was never written.
    fn value(&mut self, state: &mut State, part: Part) -> Option<TermId> {
        match part {
            Part::Register(id) => state.register(id),
            Part::IsAddress(id) => self.explorer.encoder.part_of_address(state, id),
            Part::Memory(region) => {
                let terms = &mut self.explorer.encoder.terms;
                Some(Rc::make_mut(&mut state.regions[region]).bring_up_to_date(terms))
            }
        }
    }

    fn any_value(&mut self, part: Part) -> TermId {
        let encoder = &mut self.explorer.encoder;
        match part {
            Part::Register(id) => {
                let variable = &encoder.meaning.program.variables[id];
                let width = encoder.width(variable.ty.id);
                encoder.terms.fresh_bits(&variable.name, width)
            }
            Part::IsAddress(_) => encoder.terms.fresh("is an address", Sort::Bool),
            Part::Memory(region) => {
                let sort = encoder.region_sort(region);
                encoder.terms.fresh("memory", sort)
            }
        }
    }

    fn set(&mut self, state: &mut State, part: Part, value: TermId) {
        match part {
            Part::Register(id) if self.program.variables[id].kind == VariableKind::Global => {
                Rc::make_mut(&mut state.globals).insert(id, value);
            }
            Part::Register(id) => {
                state.frame_mut().registers.insert(id, value);
            }
            Part::IsAddress(id) => self.explorer.encoder.set_part_of_address(state, id, value),
            Part::Memory(region) => {
                let bits = state.regions[region].index_bits();
                state.regions[region] = Rc::new(Cells::new(value, bits));
            }
        }
    }

    /// What others find after the block, and when it comes to its end.
    fn note_effects(&mut self, id: BlockId, mut before: State, arrived: &[Pending]) {
        let thread = self.blocks[id].thread;
        let parts: Vec<Part> = self.shares.told_by(thread).collect();
        let mut left = Vec::new();
        for part in parts {
            let old = self.value(&mut before, part);
            let mut written: Option<(TermId, TermId)> = None;
            for pending in arrived {
                let Some(new) = self.value(&mut pending.state.clone(), part).filter(|&new| Some(new) != old)
                else {
                    continue;
                };
                let terms = &mut self.explorer.encoder.terms;
                written = Some(match written {
                    None => (pending.guard, new),
                    Some((guard, value)) => {
                        (terms.or(guard, pending.guard), terms.ite(pending.guard, new, value))
                    }
                });
            }
            left.extend(written.map(|(guard, value)| Left { part, guard, value }));
        }
        self.is_approximate |= arrived.iter().any(|pending| self.changes_objects(&pending.state));
        let guards: Vec<TermId> = arrived.iter().map(|pending| pending.guard).collect();
        self.blocks[id].ends = self.explorer.encoder.terms.any(&guards);
        self.blocks[id].left = left;
    }

    /// Are there other objects than when threads were chosen first, or addresses in other places?
    fn changes_objects(&mut self, state: &State) -> bool {
        let Some(first) = &self.first else { return true };
        let encoder = &mut self.explorer.encoder;
        !encoder.addresses_lie_alike(&first.state, state)
            || !first.state.extents.holds_the_same(&mut encoder.terms, &state.extents)
    }

    /// Where the thread goes on, by where it stands.
    fn set_out(&mut self, thread: usize, arrived: Vec<Pending>) {
        let counter = self.all.threads[thread].counter;
        for pending in arrived {
            let Some(at) = pending.state.register(counter) else { continue };
            if let Some(number) = self.explorer.encoder.terms.constant(at) {
                self.put(thread, number as i64, pending);
                continue;
            }
            let width = self.explorer.encoder.terms.pool.width(at);
            for &(number, _) in &self.all.threads[thread].resumes {
                let terms = &mut self.explorer.encoder.terms;
                let there = terms.number(width, number as u128);
                let is_there = terms.equal(at, there);
                if let Some(guard) = self.explorer.narrowed(pending.guard, is_there) {
                    self.put(thread, number, Pending { guard, ..pending.clone() });
                }
            }
        }
    }

    fn put(&mut self, thread: usize, number: i64, pending: Pending) {
        if self.all.threads[thread].resumes.iter().any(|(own, _)| *own == number) {
            self.frontier[thread].entry(number).or_default().push(pending);
        }
    }
}

/// Where a thread stands when it was created.
const FIRST_PLACE: i64 = 1;
