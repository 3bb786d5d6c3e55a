//! What the functions of `<pthread.h>` and `<semaphore.h>` do, as steps of the sequential program; those of `<threads.h>` are described by them. The table is THREADS 1:
//! a step that waits is one that cannot be chosen yet. Each kind of object has its file: `mutexes`, `signals`, `read_write`, `meetings` (semaphores, barriers, once), `joins`,
//! `keys`; what is misused, `misuse`; who waits for ever, `deadlock`.

use crate::deadlock::{On, Waits};
use crate::mode::{FrameId, Here, Mode, Mover, OneStep, ThreadIndex};
use crate::sequential::Refusal;
use crate::weave::Weaver;
use base::{Id, Span};
use program::{
    Action, AssumeReason, BinaryOp, Edge, EdgeId, Expr, HavocSource, Known, NEXT_THREAD, Place, THREAD_MISUSE,
};
use std::sync::Arc;

/// `EBUSY`
pub const BUSY: i64 = 16;
/// `EINVAL`
pub const INVALID: i64 = 22;
/// `EPERM`
pub const NOT_PERMITTED: i64 = 1;
/// `EDEADLK`
pub const WOULD_WAIT_FOR_EVER: i64 = 35;
/// `ETIMEDOUT`
pub const TIMED_OUT: i64 = 110;

/// `pthread_once` is over.
pub const DONE: i64 = 1;

/// A thread runs what `pthread_once` was given.
pub fn running(thread: ThreadIndex) -> i64 {
    thread.index() as i64 + 2
}

/// What a call of a synchronising function is about.
pub struct Call<'c> {
    pub frame: FrameId,
    pub thread: ThreadIndex,
    pub edge: &'c Edge,
    pub result: Option<Place>,
    pub span: Span,
}

/// How long a thread that cannot have something waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// As long as it takes.
    Endless,
    /// Until its time is over.
    Timed,
    /// Not at all.
    None,
}

impl Patience {
    /// What the call gives where it gives up.
    pub fn result(self) -> i64 {
        if self == Patience::Timed { TIMED_OUT } else { BUSY }
    }
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
        if self.general.is_some() && !self.is_for_any_number(&call, known) {
            let why = format!("`{known:?}` among any number of threads");
            self.stop_answers(here, thread, &why, edge.span);
            return Ok(());
        }
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
                let at = (self.frames[frame].procedure, edge.from);
                let here = self.begin_section(here, thread, at);
                self.go_on(here, frame, edge.to, edge.span);
            }
            AtomicEnd => {
                let here = self.end_section(here);
                self.go_on(here, frame, edge.to, edge.span);
            }
            ThreadCreate => return self.create(here, frame, id, edge, call.result, arguments),
            ThreadJoin => self.join(here, &call, arguments),
            ThreadDetach => self.detach(here, &call, &arguments[0]),
            ThreadExit => {
                let value = arguments.first().map(|value| self.renamed(frame, value));
                self.exit_thread(here, frame, value, edge.span);
            }
            ThreadSelf => self.done(here, &call, crate::lifecycle::handle_of(thread) as i64),
            ThreadYield | CondInit | CondDestroy => self.done(here, &call, 0),
            CondSignal | CondBroadcast => self.signal(here, &call, &arguments[0], known == CondBroadcast),
            CondWait | CondTimedWait => self.wait_for_signal(here, &call, known, arguments),
            MutexAttributesInit | MutexAttributesSetType | MutexAttributesDestroy => {
                self.mutex_attributes(here, &call, known, arguments);
            }
            MutexInit | SpinInit => self.init_mutex(here, &call, known, arguments),
            MutexDestroy => self.destroy_mutex(here, &call, &arguments[0]),
            MutexLock => self.lock(here, &call, &arguments[0], Patience::Endless),
            MutexTryLock => self.lock(here, &call, &arguments[0], Patience::None),
            MutexTimedLock => self.lock(here, &call, &arguments[0], Patience::Timed),
            MutexUnlock => self.unlock(here, &call, &arguments[0]),
            RwlockInit | RwlockDestroy => self.set_up_read_write(here, &call, known, arguments),
            RwlockReadLock | RwlockTryReadLock | RwlockTimedReadLock | RwlockWriteLock
            | RwlockTryWriteLock | RwlockTimedWriteLock | RwlockUnlock => {
                self.read_write(here, &call, known, &arguments[0]);
            }
            SemaphoreInit | SemaphoreDestroy => self.set_up_semaphore(here, &call, known, arguments),
            SemaphoreWait | SemaphoreTryWait | SemaphoreTimedWait | SemaphorePost | SemaphoreGetValue => {
                self.semaphore(here, &call, known, arguments);
            }
            BarrierInit | BarrierDestroy => self.set_up_barrier(here, &call, known, arguments),
            BarrierWait => self.barrier(here, &call, &arguments[0]),
            OnceCall => return self.once(here, &call, id, arguments),
            KeyCreate | KeyDelete | KeyGet | KeySet => self.keys(here, &call, known, arguments),
            _ => self.give_up(here, thread, "a function of threads that is not modelled", edge.span),
        }
        Ok(())
    }

    /// Does the function have a meaning for threads that have no number of their own?
    fn is_for_any_number(&self, call: &Call<'_>, known: Known) -> bool {
        use Known::*;
        match known {
            AtomicBegin | AtomicEnd | ThreadCreate | ThreadJoin | ThreadExit | ThreadYield => true,
            ThreadSelf => !self.is_environment(call.thread),
            ThreadDetach => call.result.is_none(),
            CondInit | CondDestroy | CondSignal | CondBroadcast | OnceCall => true,
            SemaphoreInit | SemaphoreDestroy | SemaphoreWait | SemaphorePost => true,
            SpinInit | MutexInit | MutexDestroy | MutexLock | MutexTryLock | MutexTimedLock | MutexUnlock => {
                true
            }
            MutexAttributesInit | MutexAttributesSetType | MutexAttributesDestroy => true,
            CondWait | CondTimedWait | BarrierInit | BarrierDestroy | BarrierWait => true,
            RwlockInit | RwlockDestroy | RwlockReadLock | RwlockTryReadLock | RwlockTimedReadLock
            | RwlockWriteLock | RwlockTryWriteLock | RwlockTimedWriteLock | RwlockUnlock => true,
            _ => false,
        }
    }

    /// The call is over.
    pub fn done(&mut self, here: Here, call: &Call<'_>, result: i64) {
        let here = self.give(here, call.thread, call.result.as_ref(), result, call.span);
        self.go_on(here, call.frame, call.edge.to, call.span);
    }

    /// Sets a place.
    pub fn assign(&mut self, here: Here, call: &Call<'_>, target: &Place, value: i64) -> Here {
        let value = Expr::integer(value as u128, target.ty.id, &self.new.types);
        self.step(here, call.thread, Action::Assign { target: target.clone(), value }, call.span)
    }

    /// Changes a place by 1.
    pub fn add(&mut self, here: Here, call: &Call<'_>, target: &Place, op: BinaryOp) -> Here {
        let one = Expr::integer(1, target.ty.id, &self.new.types);
        let value = self.terms.binary(op, Expr::load(target.clone()), one);
        self.step(here, call.thread, Action::Assign { target: target.clone(), value }, call.span)
    }

    /// Either of two ways.
    pub fn drawn(&mut self, here: Here, call: &Call<'_>) -> (Here, Here) {
        let bool = self.new.types.bool();
        let bit = Place::variable(self.choice_bit(bool), bool);
        let source = HavocSource::Input(Arc::from(NEXT_THREAD));
        let action = Action::Havoc { target: bit.clone(), source };
        let here = self.step(here, call.thread, action, call.span);
        let is_set = Expr::load(bit).cast(self.terms.int);
        self.branch(here, call.thread, is_set, call.span)
    }

    /// Where a lock is the thread's own. What stands for many threads knows only that one of them has it: it may be another's all the same.
    pub fn own_or_not(&mut self, own: Here, call: &Call<'_>) -> (Here, Option<Here>) {
        if !self.is_environment(call.thread) {
            return (own, None);
        }
        let (mine, of_another) = self.drawn(own, call);
        (mine, Some(of_another))
    }

    /// What has to come before a step that may wait: a cut where it can be seen to wait, if that is asked.
    pub fn before_waiting(&mut self, here: Here, call: &Call<'_>, mover: Mover, waits: &Waits) -> Here {
        if !self.options.deadlocks {
            return self.before(here, call.thread, mover, None);
        }
        if here.mode.is_undisturbed() {
            return here;
        }
        let mut here = self.cut_waiting(here, call.thread, waits.clone());
        here.mode.is_past |= matches!(mover, Mover::No | Mover::Left);
        here
    }

    /// Goes on only where the condition holds; the thread cannot be chosen before.
    pub fn wait_until(&mut self, here: Here, call: &Call<'_>, condition: Expr, waits: &Waits) -> Here {
        if here.mode.is_section() {
            let (yes, no) = self.branch(here, call.thread, condition, call.span);
            self.give_up(no, call.thread, "a thread waits inside an atomic section", call.span);
            return yes;
        }
        if here.mode.is_alone && self.options.deadlocks {
            let (yes, no) = self.branch(here, call.thread, condition, call.span);
            self.waits_for_ever(no, call.thread, waits, call.span);
            return yes;
        }
        let action = Action::Assume { condition, expected: true, reason: AssumeReason::User };
        self.step(here, call.thread, action, call.span)
    }

    /// What a pointer leads to is nothing that the state of such an object can be kept in.
    pub fn no_room(&mut self, here: Here, call: &Call<'_>) {
        self.give_up(here, call.thread, "a lock of an unknown kind", call.span);
    }

    /// A function of threads is used as it must not be: undefined behaviour, past which nothing is known.
    pub fn misuse(&mut self, here: Here, thread: ThreadIndex, why: &str, span: Span) {
        if !self.options.misuse {
            return self.give_up(here, thread, why, span);
        }
        self.tell(here.node, format!("{}: {why}", crate::deadlock::name(thread)));
        self.call_of_what_stands_for(here.node, THREAD_MISUSE, span);
    }

    /// What locks say about their owner.
    pub fn own_number(thread: ThreadIndex) -> i64 {
        thread.index() as i64 + 1
    }

    /// What is waited for, by the name of the object.
    pub fn waits(&self, pointer: &Expr, what: &str, on: On) -> Waits {
        Waits { on, name: format!("{what} {}", self.called(pointer)) }
    }

    /// A try that fails orders nothing, though it tells what another thread has done: two accesses may race that never
    /// stand side by side. So behind a try no race is excluded.
    pub fn leave_races_open(&mut self, here: Here, call: &Call<'_>) -> Here {
        if !self.options.races || here.mode.is_alone {
            return here;
        }
        let (open, goes_on) = self.drawn(here, call);
        self.give_up(open, call.thread, "a race behind a try to lock or a look at a semaphore", call.span);
        goes_on
    }
}
