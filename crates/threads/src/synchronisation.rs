//! What the functions of `<pthread.h>` and `<semaphore.h>` do, as steps of the sequential program. The table is THREADS 1: a step that waits is one
//! that cannot be chosen yet.
//!
//! Waiting for a condition variable may end for no reason (POSIX allows it), so as far as values are concerned it gives the mutex back, lets others run and takes it
//! again; signals change nothing. What is undefined (to unlock another's mutex, to join twice) is not answered about.

use crate::calls::{JoinSite, handle_of};
use crate::mode::{FrameId, Here, Mode, Mover, OneStep, ThreadIndex};
use crate::sequential::Refusal;
use crate::weave::{AloneSite, Back, Weaver};
use base::{Id, Span};
use program::{Action, AssumeReason, BinaryOp, Edge, EdgeId, Expr, HavocSource, Known, NEXT_THREAD, Place};
use std::sync::Arc;

/// `EBUSY`
const BUSY: i64 = 16;

/// What a call of a synchronising function is about.
struct Call<'c> {
    frame: FrameId,
    thread: ThreadIndex,
    edge: &'c Edge,
    result: Option<Place>,
    span: Span,
}

impl Weaver<'_> {
    /// Copies a call of a function that has to do with threads.
    #[allow(clippy::too_many_arguments)]
    pub fn synchronise(
        &mut self,
        here: Here,
        frame: FrameId,
        id: EdgeId,
        edge: &Edge,
        known: Known,
        result: Option<Place>,
        arguments: &[Expr],
    ) -> Result<(), Refusal> {
        use Known::*;
        let thread = self.frames[frame].thread;
        let call = Call { frame, thread, edge, result, span: edge.span };
        match known {
            AtomicBegin if Known::is_step(arguments) => {
                let mode = Mode { step: OneStep::Begun, ..here.mode };
                self.go_on(Here { mode, ..here }, frame, edge.to, edge.span);
            }
            AtomicEnd if Known::is_step(arguments) => {
                let mode = Mode { step: OneStep::Outside, ..here.mode };
                self.go_on(Here { mode, ..here }, frame, edge.to, edge.span);
            }
            AtomicBegin => {
                let mut here = self.before(here, thread, Mover::No, None);
                here.mode.sections = here.mode.sections.saturating_add(1);
                self.go_on(here, frame, edge.to, edge.span);
            }
            AtomicEnd => {
                let here = self.end_section(here);
                self.go_on(here, frame, edge.to, edge.span);
            }
            ThreadCreate => return self.create(here, frame, id, edge, call.result, arguments),
            ThreadJoin => self.join(here, &call, arguments),
            ThreadExit => {
                let value = arguments.first().map(|value| self.renamed(frame, value));
                self.exit_thread(here, frame, value, edge.span);
            }
            ThreadSelf | BarrierWait if self.is_environment(thread) => {
                let why = "a barrier, or a thread's own handle, among any number of threads";
                self.stop_answers(here, thread, why, edge.span);
            }
            ThreadSelf => self.done(here, &call, handle_of(thread) as i64),
            ThreadYield | ThreadDetach | CondInit | CondDestroy | CondSignal | CondBroadcast => {
                self.done(here, &call, 0);
            }
            MutexInit | RwlockInit => {
                let is_plain = arguments
                    .get(1)
                    .is_none_or(|attributes| crate::cells::uncast(attributes).as_integer() == Some(0));
                if is_plain {
                    self.reset(here, &call, arguments, &[(0, 0), (1, 0)]);
                } else {
                    self.give_up(here, thread, "a lock with attributes", edge.span);
                }
            }
            MutexDestroy | RwlockDestroy | BarrierDestroy | SemaphoreDestroy => self.done(here, &call, 0),
            MutexLock => self.lock(here, &call, &arguments[0], 0),
            MutexTryLock => self.try_lock(here, &call, &arguments[0]),
            MutexUnlock => self.unlock(here, &call, &arguments[0]),
            RwlockReadLock | RwlockWriteLock | RwlockUnlock => {
                self.read_write(here, &call, known, &arguments[0])
            }
            CondWait => self.wait_for_signal(here, &call, &arguments[1]),
            SemaphoreInit => self.init_semaphore(here, &call, arguments),
            SemaphoreWait | SemaphorePost => self.semaphore(here, &call, known, &arguments[0]),
            BarrierInit => self.init_barrier(here, &call, arguments),
            BarrierWait => self.barrier(here, &call, &arguments[0]),
            OnceCall => return self.once(here, &call, id, arguments),
            KeyCreate | KeyDelete | KeyGet | KeySet => {
                self.give_up(
                    here,
                    thread,
                    "timed waits, attributes of locks, thread-specific data",
                    edge.span,
                );
            }
            _ => self.give_up(here, thread, "a function of threads that is not modelled", edge.span),
        }
        Ok(())
    }

    fn done(&mut self, here: Here, call: &Call<'_>, result: i64) {
        let here = self.give(here, call.thread, call.result.as_ref(), result, call.span);
        self.go_on(here, call.frame, call.edge.to, call.span);
    }

    fn assign(&mut self, here: Here, call: &Call<'_>, target: &Place, value: i64) -> Here {
        let value = Expr::integer(value as u128, target.ty.id, &self.new.types);
        self.step(here, call.thread, Action::Assign { target: target.clone(), value }, call.span)
    }

    fn add(&mut self, here: Here, call: &Call<'_>, target: &Place, op: BinaryOp) -> Here {
        let one = Expr::integer(1, target.ty.id, &self.new.types);
        let value = self.terms.binary(op, Expr::load(target.clone()), one);
        self.step(here, call.thread, Action::Assign { target: target.clone(), value }, call.span)
    }

    /// Goes on only where the condition holds; the thread cannot be chosen before.
    fn wait_until(&mut self, here: Here, call: &Call<'_>, condition: Expr) -> Here {
        if here.mode.is_section() {
            let (yes, no) = self.branch(here, call.thread, condition, call.span);
            self.give_up(no, call.thread, "a thread waits inside an atomic section", call.span);
            return yes;
        }
        let action = Action::Assume { condition, expected: true, reason: AssumeReason::User };
        self.step(here, call.thread, action, call.span)
    }

    fn no_room(&mut self, here: Here, call: &Call<'_>) {
        self.give_up(here, call.thread, "a lock of an unknown kind", call.span);
    }

    fn own_number(thread: ThreadIndex) -> i64 {
        thread.index() as i64 + 1
    }

    /// Sets parts of an object's state.
    fn reset(&mut self, here: Here, call: &Call<'_>, arguments: &[Expr], values: &[(usize, i64)]) {
        let Some(state) = self.state::<1>(call.frame, &arguments[0]) else { return self.no_room(here, call) };
        let rest = self.state::<2>(call.frame, &arguments[0]);
        let mut here = self.before(here, call.thread, Mover::No, None);
        for &(part, value) in values {
            let place = rest.as_ref().map_or_else(|| state.get(part), |both| both.get(part));
            if let Some(place) = place {
                here = self.assign(here, call, place, value);
            }
        }
        self.done(here, call, 0);
    }

    /// How taking a lock, or giving it back, moves.
    fn lock_mover(&self, mover: Mover) -> Mover {
        if self.facts.has_try { Mover::No } else { mover }
    }

    fn lock(&mut self, here: Here, call: &Call<'_>, pointer: &Expr, result: i64) {
        let Some([owner]) = self.state::<1>(call.frame, pointer) else { return self.no_room(here, call) };
        let here = self.before(here, call.thread, self.lock_mover(Mover::Right), None);
        let here = self.take(here, call, &owner);
        self.done(here, call, result);
    }

    fn take(&mut self, here: Here, call: &Call<'_>, owner: &Place) -> Here {
        let is_free = self.terms.holds(owner, 0, &self.new);
        let here = self.wait_until(here, call, is_free);
        self.log.takes(here.node, owner);
        self.assign(here, call, owner, Self::own_number(call.thread))
    }

    fn try_lock(&mut self, here: Here, call: &Call<'_>, pointer: &Expr) {
        let Some([owner]) = self.state::<1>(call.frame, pointer) else { return self.no_room(here, call) };
        let here = self.before(here, call.thread, Mover::No, None);
        let here = self.leave_races_open(here, call);
        let is_free = self.terms.holds(&owner, 0, &self.new);
        let (free, taken) = self.branch(here, call.thread, is_free, call.span);
        self.log.takes(free.node, &owner);
        let free = self.assign(free, call, &owner, Self::own_number(call.thread));
        self.done(free, call, 0);
        self.done(taken, call, BUSY);
    }

    /// A try that fails orders nothing, though it tells what another thread has done: two accesses may race that never stand side by side. So behind a try no
    /// race is excluded.
    fn leave_races_open(&mut self, here: Here, call: &Call<'_>) -> Here {
        if !self.options.races || here.mode.is_alone {
            return here;
        }
        let bool = self.new.types.bool();
        let bit = Place::variable(self.choice_bit(bool), bool);
        let source = HavocSource::Input(Arc::from(NEXT_THREAD));
        let action = Action::Havoc { target: bit.clone(), source };
        let here = self.step(here, call.thread, action, call.span);
        let is_open = Expr::load(bit).cast(self.terms.int);
        let (open, goes_on) = self.branch(here, call.thread, is_open, call.span);
        self.give_up(open, call.thread, "a race behind a try to lock", call.span);
        goes_on
    }

    fn unlock(&mut self, here: Here, call: &Call<'_>, pointer: &Expr) {
        let Some([owner]) = self.state::<1>(call.frame, pointer) else { return self.no_room(here, call) };
        let here = self.before(here, call.thread, self.lock_mover(Mover::Left), None);
        if let Some(here) = self.give_back(here, call, &owner) {
            self.done(here, call, 0);
        }
    }

    fn give_back(&mut self, here: Here, call: &Call<'_>, owner: &Place) -> Option<Here> {
        let is_own = self.terms.holds(owner, Self::own_number(call.thread), &self.new);
        let (own, other) = self.branch(here, call.thread, is_own, call.span);
        self.give_up(other, call.thread, "a thread unlocks a mutex that it does not hold", call.span);
        self.log.gives_back(own.node, owner);
        Some(self.assign(own, call, owner, 0))
    }

    fn wait_for_signal(&mut self, here: Here, call: &Call<'_>, mutex: &Expr) {
        let Some([owner]) = self.state::<1>(call.frame, mutex) else { return self.no_room(here, call) };
        let here = self.before(here, call.thread, self.lock_mover(Mover::Left), None);
        let Some(here) = self.give_back(here, call, &owner) else { return };
        if here.mode.sections > 0 {
            return self.give_up(here, call.thread, "a thread waits inside an atomic section", call.span);
        }
        let here = if here.mode.is_alone { here } else { self.cut(here, call.thread, None) };
        let here = self.take(here, call, &owner);
        self.done(here, call, 0);
    }

    fn read_write(&mut self, here: Here, call: &Call<'_>, known: Known, pointer: &Expr) {
        let Some([writer, readers]) = self.state::<2>(call.frame, pointer) else {
            return self.no_room(here, call);
        };
        let here = self.before(here, call.thread, Mover::No, None);
        let no_writer = self.terms.holds(&writer, 0, &self.new);
        let no_reader = self.terms.holds(&readers, 0, &self.new);
        match known {
            Known::RwlockReadLock => {
                let here = self.wait_until(here, call, no_writer);
                let here = self.add(here, call, &readers, BinaryOp::Add);
                self.done(here, call, 0);
            }
            Known::RwlockWriteLock => {
                let here = self.wait_until(here, call, no_writer);
                let here = self.wait_until(here, call, no_reader);
                self.log.takes(here.node, &writer);
                let here = self.assign(here, call, &writer, Self::own_number(call.thread));
                self.done(here, call, 0);
            }
            _ => {
                let is_own = self.terms.holds(&writer, Self::own_number(call.thread), &self.new);
                let (own, not) = self.branch(here, call.thread, is_own, call.span);
                self.log.gives_back(own.node, &writer);
                let own = self.assign(own, call, &writer, 0);
                self.done(own, call, 0);
                let (none, some) = self.branch(not, call.thread, no_reader, call.span);
                self.give_up(
                    none,
                    call.thread,
                    "a thread unlocks a read-write lock that nobody holds",
                    call.span,
                );
                let some = self.add(some, call, &readers, BinaryOp::Subtract);
                self.done(some, call, 0);
            }
        }
    }

    fn init_semaphore(&mut self, here: Here, call: &Call<'_>, arguments: &[Expr]) {
        let (Some([count]), Some(value)) = (self.state::<1>(call.frame, &arguments[0]), arguments.get(2))
        else {
            return self.no_room(here, call);
        };
        let here = self.before(here, call.thread, Mover::No, None);
        let value = self.renamed(call.frame, value).cast(count.ty.id);
        let here = self.step(here, call.thread, Action::Assign { target: count, value }, call.span);
        self.done(here, call, 0);
    }

    fn semaphore(&mut self, here: Here, call: &Call<'_>, known: Known, pointer: &Expr) {
        let Some([count]) = self.state::<1>(call.frame, pointer) else { return self.no_room(here, call) };
        let here = self.before(here, call.thread, Mover::No, None);
        let here = if known == Known::SemaphorePost {
            self.add(here, call, &count, BinaryOp::Add)
        } else {
            let none = Expr::integer(0, count.ty.id, &self.new.types);
            let some = self.terms.binary(BinaryOp::NotEqual, Expr::load(count.clone()), none);
            let here = self.wait_until(here, call, some);
            self.add(here, call, &count, BinaryOp::Subtract)
        };
        self.done(here, call, 0);
    }

    fn init_barrier(&mut self, here: Here, call: &Call<'_>, arguments: &[Expr]) {
        let state = self.state::<3>(call.frame, &arguments[0]);
        let (Some([needed, arrived, _]), Some(count)) = (state, arguments.get(2)) else {
            return self.no_room(here, call);
        };
        let here = self.before(here, call.thread, Mover::No, None);
        let value = self.renamed(call.frame, count).cast(needed.ty.id);
        let here = self.step(here, call.thread, Action::Assign { target: needed, value }, call.span);
        let here = self.assign(here, call, &arrived, 0);
        self.done(here, call, 0);
    }

    fn barrier(&mut self, here: Here, call: &Call<'_>, pointer: &Expr) {
        let Some([needed, arrived, round]) = self.state::<3>(call.frame, pointer) else {
            return self.no_room(here, call);
        };
        if call.result.is_some() {
            // Any one of those that meet may be told that it was the one.
            return self.give_up(here, call.thread, "the result of `pthread_barrier_wait`", call.span);
        }
        let here = self.before(here, call.thread, Mover::No, None);
        let here = self.add(here, call, &arrived, BinaryOp::Add);
        let (arrived_now, all) = (Expr::load(arrived.clone()), Expr::load(needed));
        let is_full = self.terms.binary(BinaryOp::Equal, arrived_now, all);
        let (last, early) = self.branch(here, call.thread, is_full, call.span);
        let last = self.assign(last, call, &arrived, 0);
        let last = self.add(last, call, &round, BinaryOp::BitXor);
        self.done(last, call, 0);
        if early.mode.is_undisturbed() {
            return self.give_up(early, call.thread, "a thread waits at a barrier for itself", call.span);
        }
        let seen = self.variable("round of a barrier", round.ty.id);
        let seen = Place::variable(seen, round.ty.id);
        let value = Expr::load(round.clone());
        let early = self.step(early, call.thread, Action::Assign { target: seen.clone(), value }, call.span);
        let early = self.cut(early, call.thread, None);
        let is_over = self.terms.binary(BinaryOp::NotEqual, Expr::load(round), Expr::load(seen));
        let early = self.wait_until(early, call, is_over);
        self.done(early, call, 0);
    }

    fn once(&mut self, here: Here, call: &Call<'_>, id: EdgeId, arguments: &[Expr]) -> Result<(), Refusal> {
        const RUNNING: i64 = 1;
        const DONE: i64 = 2;
        let routines = self.points_to.procedures_in(self.old, &arguments[1]);
        let (Some([state]), [routine]) = (self.state::<1>(call.frame, &arguments[0]), &routines[..]) else {
            self.no_room(here, call);
            return Ok(());
        };
        let here = self.before(here, call.thread, Mover::No, None);
        let is_new = self.terms.holds(&state, 0, &self.new);
        let (first, later) = self.branch(here, call.thread, is_new, call.span);
        let first = self.assign(first, call, &state, RUNNING);
        let value = Expr::integer(DONE as u128, state.ty.id, &self.new.types);
        let mut after = vec![Action::Assign { target: state.clone(), value }];
        if let Some(target) = &call.result {
            let value = Expr::integer(0, target.ty.id, &self.new.types);
            after.push(Action::Assign { target: target.clone(), value });
        }
        let back = Back { frame: call.frame, to: call.edge.to, result: None, span: call.span, first: after };
        self.enter_with(first, call.frame, id, *routine, &[], back)?;
        let is_done = self.terms.holds(&state, DONE, &self.new);
        let later = self.wait_until(later, call, is_done);
        self.done(later, call, 0);
        Ok(())
    }

    fn join(&mut self, here: Here, call: &Call<'_>, arguments: &[Expr]) {
        let thread = call.thread;
        let here = self.before(here, thread, Mover::No, None);
        let here = match arguments.get(1) {
            Some(into) => match self.before_store(here, call.frame, into, call.span) {
                Some(here) => here,
                None => return,
            },
            None => here,
        };
        let handle = self.renamed(call.frame, &arguments[0]);
        let into = arguments
            .get(1)
            .filter(|into| crate::cells::uncast(into).as_integer() != Some(0))
            .map(|into| self.renamed(call.frame, into));
        let after = self.node(thread, call.span);
        self.made.joins.push(JoinSite { from: here.node, to: after, thread, handle, into, span: call.span });
        let here = Here { node: after, ..here };
        let here = self.give(here, thread, call.result.as_ref(), 0, call.span);
        if thread.index() != 0 || here.mode.is_undisturbed() {
            return self.go_on(here, call.frame, call.edge.to, call.span);
        }
        let not = self.arrive(call.frame, call.edge.to, here.mode);
        let mut mode = here.mode;
        (mode.is_alone, mode.is_past) = (true, false);
        let alone = self.arrive(call.frame, call.edge.to, mode);
        self.alone.push(AloneSite { from: here.node, alone, not, thread });
    }
}
