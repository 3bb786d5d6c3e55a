//! Semaphores, barriers, and what is done once.

use crate::cells::Meaning;
use crate::deadlock::On;
use crate::mode::{Here, Mover};
use crate::sequential::Refusal;
use crate::synchronisation::{Call, DONE, INVALID, running};
use crate::weave::{Back, Weaver};
use program::{Action, BinaryOp, EdgeId, Expr, Known, Place};

/// `PTHREAD_BARRIER_SERIAL_THREAD`
const SERIAL: i64 = -1;
/// Added to the number of those that have come to a barrier when one of them is the one that is told so.
const HAS_SERIAL: i64 = 1 << 16;
/// Threads that a barrier may wait for.
const MOST_TO_COME: u128 = (1 << 16) - 1;
/// `SEM_VALUE_MAX`
const MOST_PERMITS: u128 = i32::MAX as u128;

impl Weaver<'_> {
    /// A number that a call is given; what is too large for it is not answered about.
    fn at_most(&mut self, here: Here, call: &Call<'_>, value: &Expr, most: u128, why: &str) -> (Here, Expr) {
        let value = self.renamed(call.frame, value);
        if crate::cells::uncast(&value).as_integer().is_some_and(|number| number <= most) {
            return (here, value);
        }
        let bound = Expr::integer(most, value.ty, &self.new.types);
        let is_large = self.terms.binary(BinaryOp::Greater, value.clone(), bound);
        let (large, here) = self.branch(here, call.thread, is_large, call.span);
        self.give_up(large, call.thread, why, call.span);
        (here, value)
    }

    /// `sem_init`, `sem_destroy`
    pub fn set_up_semaphore(&mut self, here: Here, call: &Call<'_>, known: Known, arguments: &[Expr]) {
        let Some([count, exists]) = self.state::<2>(call.frame, &arguments[0]) else {
            return self.no_room(here, call);
        };
        self.cells.says(&count, Meaning::Number);
        let here = self.before(here, call.thread, Mover::No, None);
        let Some(value) = arguments.get(2).filter(|_| known == Known::SemaphoreInit) else {
            let here = self.must_exist(here, call, &exists, "a semaphore");
            let here = self.assign(here, call, &exists, 0);
            return self.done(here, call, 0);
        };
        if crate::cells::uncast(&arguments[1]).as_integer() != Some(0) {
            return self.give_up(here, call.thread, "a semaphore that processes share", call.span);
        }
        let (here, value) =
            self.at_most(here, call, value, MOST_PERMITS, "a semaphore with so large a value");
        let value = value.cast(count.ty.id);
        let here = self.step(here, call.thread, Action::Assign { target: count, value }, call.span);
        let here = self.assign(here, call, &exists, 1);
        self.done(here, call, 0);
    }

    fn must_exist(&mut self, here: Here, call: &Call<'_>, exists: &Place, what: &str) -> Here {
        let is_missing = self.terms.holds(exists, 0, &self.new);
        let (missing, here) = self.branch(here, call.thread, is_missing, call.span);
        let why = format!("{what} is used that was not initialised, or was destroyed");
        self.misuse(missing, call.thread, &why, call.span);
        here
    }

    /// Posts, waits, and the value.
    pub fn semaphore(&mut self, here: Here, call: &Call<'_>, known: Known, arguments: &[Expr]) {
        let pointer = &arguments[0];
        let Some([count, exists]) = self.state::<2>(call.frame, pointer) else {
            return self.no_room(here, call);
        };
        self.cells.says(&count, Meaning::Number);
        let objects = self.waited_for(pointer);
        let waits = self.waits(pointer, "the semaphore", On::Post { count: count.clone(), objects });
        let here = match known {
            Known::SemaphoreWait => self.before_waiting(here, call, Mover::No, &waits),
            _ => self.before(here, call.thread, Mover::No, None),
        };
        let here = self.must_exist(here, call, &exists, "a semaphore");
        let is_none = self.terms.holds(&count, 0, &self.new);
        match known {
            Known::SemaphorePost => {
                let most = Expr::integer(MOST_PERMITS, count.ty.id, &self.new.types);
                let is_full = self.terms.binary(BinaryOp::Equal, Expr::load(count.clone()), most);
                let (full, here) = self.branch(here, call.thread, is_full, call.span);
                self.give_up(full, call.thread, "a semaphore that overflows", call.span);
                let here = self.add(here, call, &count, BinaryOp::Add);
                self.done(here, call, 0);
            }
            Known::SemaphoreGetValue => {
                let into = &arguments[1];
                let Some(here) = self.before_store(here, call.frame, into, call.span) else { return };
                let into = self.renamed(call.frame, crate::cells::uncast(into));
                let Some(to) = self.new.types.pointee(into.ty) else { return self.no_room(here, call) };
                if self.new.types.integer_shape(to.id).is_none() {
                    return self.no_room(here, call);
                }
                // To look at a semaphore orders nothing either.
                let here = self.leave_races_open(here, call);
                let target = Place::pointed_to_by(into, to.id);
                let value = Expr::load(count).cast(to.id);
                let here = self.step(here, call.thread, Action::Assign { target, value }, call.span);
                self.done(here, call, 0);
            }
            Known::SemaphoreWait => {
                let some = self.terms.binary(BinaryOp::Equal, is_none, self.terms.number(0, &self.new));
                let here = self.wait_until(here, call, some, &waits);
                let here = self.add(here, call, &count, BinaryOp::Subtract);
                self.done(here, call, 0);
            }
            _ => {
                let here = self.leave_races_open(here, call);
                let (none, some) = self.branch(here, call.thread, is_none, call.span);
                let some = self.add(some, call, &count, BinaryOp::Subtract);
                self.done(some, call, 0);
                if self.facts.uses_errno {
                    let why = "a semaphore that is not taken, in a program that uses `errno`";
                    return self.give_up(none, call.thread, why, call.span);
                }
                self.done(none, call, -1);
            }
        }
    }

    /// `pthread_barrier_init`, `pthread_barrier_destroy`
    pub fn set_up_barrier(&mut self, here: Here, call: &Call<'_>, known: Known, arguments: &[Expr]) {
        let Some([needed, arrived]) = self.state::<2>(call.frame, &arguments[0]) else {
            return self.no_room(here, call);
        };
        let here = self.before(here, call.thread, Mover::No, None);
        let Some(count) = arguments.get(2).filter(|_| known == Known::BarrierInit) else {
            let here = self.must_exist(here, call, &needed, "a barrier");
            let here = self.assign(here, call, &needed, 0);
            return self.done(here, call, 0);
        };
        if crate::cells::uncast(&arguments[1]).as_integer() != Some(0) {
            return self.give_up(here, call.thread, "a barrier with attributes", call.span);
        }
        let (here, value) = self.at_most(here, call, count, MOST_TO_COME, "a barrier for so many threads");
        let none = Expr::integer(0, value.ty, &self.new.types);
        let is_none = self.terms.binary(BinaryOp::Equal, value.clone(), none);
        let (none, here) = self.branch(here, call.thread, is_none, call.span);
        self.done(none, call, INVALID);
        let value = value.cast(needed.ty.id);
        let here = self.step(here, call.thread, Action::Assign { target: needed, value }, call.span);
        let here = self.assign(here, call, &arrived, 0);
        self.done(here, call, 0);
    }

    /// `pthread_barrier_wait`: any one of those that meet is told that it was the one.
    pub fn barrier(&mut self, here: Here, call: &Call<'_>, pointer: &Expr) {
        let Some([needed, arrived]) = self.state::<2>(call.frame, pointer) else {
            return self.no_room(here, call);
        };
        let here = self.before(here, call.thread, Mover::No, None);
        let here = self.must_exist(here, call, &needed, "a barrier");
        if !self.facts.has_serial {
            return self.arrive_at_barrier(here, call, pointer, [needed, arrived], 0);
        }
        // It may be this one, if it is nobody yet; the last must be it then.
        let bound = Expr::integer(HAS_SERIAL as u128, arrived.ty.id, &self.new.types);
        let is_given = self.terms.binary(BinaryOp::GreaterEqual, Expr::load(arrived.clone()), bound.clone());
        let (given, open) = self.branch(here, call.thread, is_given, call.span);
        let all = [needed, arrived];
        self.arrive_at_barrier(given, call, pointer, all.clone(), 0);
        let one = Expr::integer(1, all[1].ty.id, &self.new.types);
        let with_this = self.terms.binary(BinaryOp::Add, Expr::load(all[1].clone()), one);
        let is_last = self.terms.binary(BinaryOp::Equal, with_this, Expr::load(all[0].clone()));
        let (last, early) = self.branch(open, call.thread, is_last, call.span);
        let (this, another) = self.drawn(early, call);
        self.arrive_at_barrier(another, call, pointer, all.clone(), 0);
        for here in [last, this] {
            let value = self.terms.binary(BinaryOp::Add, Expr::load(all[1].clone()), bound.clone());
            let action = Action::Assign { target: all[1].clone(), value };
            let here = self.step(here, call.thread, action, call.span);
            self.arrive_at_barrier(here, call, pointer, all.clone(), SERIAL);
        }
    }

    fn arrive_at_barrier(
        &mut self,
        here: Here,
        call: &Call<'_>,
        pointer: &Expr,
        [needed, arrived]: [Place; 2],
        told: i64,
    ) {
        let here = self.add(here, call, &arrived, BinaryOp::Add);
        let mut arrived_now = Expr::load(arrived.clone());
        if self.facts.has_serial {
            let mask = Expr::integer(MOST_TO_COME, arrived.ty.id, &self.new.types);
            arrived_now = self.terms.binary(BinaryOp::BitAnd, arrived_now, mask);
        }
        let is_full = self.terms.binary(BinaryOp::Equal, arrived_now, Expr::load(needed));
        let (last, early) = self.branch(here, call.thread, is_full, call.span);
        let last = self.assign(last, call, &arrived, 0);
        let last = self.wake(last, call, pointer, true);
        self.done(last, call, told);
        if early.mode.sections > 0 {
            return self.give_up(early, call.thread, "a thread waits inside an atomic section", call.span);
        }
        if self.is_environment(call.thread) {
            // Whom the last comer wakes is not known of threads that are not followed: they may go on at any time.
            let early = self.cut(early, call.thread, None);
            self.stands_behind(call.thread, (call.frame, call.edge.to));
            return self.done(early, call, told);
        }
        let (state, _) = self.queue(call.thread);
        let objects = self.waited_for(pointer);
        let waits = self.waits(pointer, "others at the barrier", On::Arrival { state, objects });
        if early.mode.is_alone {
            return match self.options.deadlocks {
                true => self.waits_for_ever(early, call.thread, &waits, call.span),
                false => self.dead_end(early.node),
            };
        }
        let early = self.queue_up(early, call, pointer);
        let early = match self.options.deadlocks {
            true => self.cut_waiting(early, call.thread, waits.clone()),
            false => self.cut(early, call.thread, None),
        };
        self.stands_behind(call.thread, (call.frame, call.edge.to));
        let is_over = self.terms.holds(&self.terms.place(state), 0, &self.new);
        let early = self.wait_until(early, call, is_over, &waits);
        self.done(early, call, told);
    }

    /// `pthread_once`
    pub fn once(
        &mut self,
        here: Here,
        call: &Call<'_>,
        id: EdgeId,
        arguments: &[Expr],
    ) -> Result<(), Refusal> {
        let routines = self.points_to.procedures_in(self.old, &arguments[1]);
        let (Some([state]), [routine]) = (self.state::<1>(call.frame, &arguments[0]), &routines[..]) else {
            self.no_room(here, call);
            return Ok(());
        };
        let waits = self.waits(&arguments[0], "the end of", On::Once { state: state.clone() });
        let here = self.before_waiting(here, call, Mover::No, &waits);
        let is_new = self.terms.holds(&state, 0, &self.new);
        let (first, later) = self.branch(here, call.thread, is_new, call.span);
        let first = self.assign(first, call, &state, running(call.thread));
        let value = Expr::integer(DONE as u128, state.ty.id, &self.new.types);
        let mut after = vec![Action::Assign { target: state.clone(), value }];
        if let Some(target) = &call.result {
            let value = Expr::integer(0, target.ty.id, &self.new.types);
            after.push(Action::Assign { target: target.clone(), value });
        }
        let back = Back { frame: call.frame, to: call.edge.to, result: None, span: call.span, first: after };
        self.enter_with(first, call.frame, id, *routine, &[], back)?;
        let is_done = self.terms.holds(&state, DONE, &self.new);
        let later = self.wait_until(later, call, is_done, &waits);
        self.done(later, call, 0);
        Ok(())
    }
}
