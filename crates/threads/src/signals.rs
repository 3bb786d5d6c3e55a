//! Condition variables. Waiting for one may end for no reason (POSIX allows it), so as far as values are concerned it
//! gives the mutex back, lets others run and takes it again; signals change nothing.
//!
//! A barrier's last comer wakes those that wait at it in the same way.
//!
//! Where deadlocks are asked about, a thread queues up, leaves the queue (a signal chose it, or for no reason), and
//! takes the mutex, in three steps: a signal that comes while nobody waits is lost, and who waits without a signal
//! waits for one.

use crate::deadlock::On;
use crate::mode::{Here, Mover, ThreadIndex};
use crate::synchronisation::{Call, TIMED_OUT};
use crate::weave::Weaver;
use base::Span;
use program::{Action, AssumeReason, BinaryOp, Expr, Known, Place, VariableId};

/// A thread waits for a signal.
const QUEUED: i64 = 1;

impl Weaver<'_> {
    /// Does a thread wait for a signal, and on which condition variable? Or for others, and at which barrier?
    pub fn queue(&mut self, thread: ThreadIndex) -> (VariableId, VariableId) {
        if let Some(&made) = self.queues.get(&thread) {
            return made;
        }
        let void = self.new.types.void();
        let pointer = self.new.types.pointer(void);
        let state = self.variable("waits for a signal", self.terms.int);
        let condition = self.variable("condition variable", pointer);
        self.accounts.extend([state, condition]);
        self.queues.insert(thread, (state, condition));
        (state, condition)
    }

    /// The address of a condition variable.
    fn condition(&mut self, call: &Call<'_>, pointer: &Expr) -> Expr {
        let void = self.new.types.void();
        let to = self.new.types.pointer(void);
        self.renamed(call.frame, pointer).cast(to)
    }

    /// `pthread_cond_wait`, `pthread_cond_timedwait`
    pub fn wait_for_signal(&mut self, here: Here, call: &Call<'_>, known: Known, arguments: &[Expr]) {
        let pointer = &arguments[1];
        let Some(mutex) = self.mutex(call, pointer) else { return self.no_room(here, call) };
        let mover = if self.options.deadlocks { Mover::No } else { self.lock_mover(Mover::Left) };
        let here = self.before(here, call.thread, mover, None);
        let mut here = self.only_own(here, call, &mutex);
        if let Some(is_once) = self.is_held_once(&mutex) {
            let (once, twice) = self.branch(here, call.thread, is_once, call.span);
            let why = "a wait for a signal with a mutex that is held twice";
            self.give_up(twice, call.thread, why, call.span);
            here = once;
        }
        let here = self.give_back(here, call, &mutex);
        if here.mode.sections > 0 {
            return self.give_up(here, call.thread, "a thread waits inside an atomic section", call.span);
        }
        let relock = self.waits_for_mutex(pointer, &mutex, true);
        let is_timed = known == Known::CondTimedWait;
        let here = match (self.options.deadlocks, here.mode.is_alone) {
            (true, _) => self.wait_in_queue(here, call, &arguments[0], is_timed),
            (false, true) => Some(here),
            (false, false) => Some(self.cut(here, call.thread, None)),
        };
        let Some(here) = here else { return };
        let here = match self.options.deadlocks && !here.mode.is_alone {
            true => self.cut_waiting(here, call.thread, relock.clone()),
            false => here,
        };
        let here = self.take(here, call, &mutex, &relock);
        if !is_timed {
            return self.done(here, call, 0);
        }
        let (over, woken) = self.drawn(here, call);
        self.done(over, call, TIMED_OUT);
        self.done(woken, call, 0);
    }

    /// The thread queues up and leaves the queue at some time.
    fn wait_in_queue(&mut self, here: Here, call: &Call<'_>, pointer: &Expr, is_timed: bool) -> Option<Here> {
        let (state, _) = self.queue(call.thread);
        let objects = self.waited_for(pointer);
        let waits = self.waits(pointer, "a signal on", On::Signal { state, objects });
        if here.mode.is_alone {
            if !is_timed {
                self.waits_for_ever(here, call.thread, &waits, call.span);
                return None;
            }
            return Some(here);
        }
        let here = self.queue_up(here, call, pointer);
        let state = self.terms.place(state);
        let at = (call.frame, call.edge.to);
        let here = match is_timed {
            true => self.cut(here, call.thread, None),
            false => self.cut_waiting(here, call.thread, waits),
        };
        self.stands_behind(call.thread, at);
        let here = self.assign(here, call, &state, 0);
        // For no reason one leaves the queue where others may be told of it.
        Some(Here { mode: crate::mode::Mode { is_past: true, ..here.mode }, ..here })
    }

    /// The thread is among those that wait for something.
    pub fn queue_up(&mut self, here: Here, call: &Call<'_>, pointer: &Expr) -> Here {
        let (state, own) = self.queue(call.thread);
        let what = self.condition(call, pointer);
        let target = Place::variable(own, what.ty);
        let here = self.step(here, call.thread, Action::Assign { target, value: what }, call.span);
        self.assign(here, call, &self.terms.place(state), QUEUED)
    }

    /// One of those that wait for something, or all, wait no longer: which is known when all threads are.
    pub fn wake(&mut self, here: Here, call: &Call<'_>, pointer: &Expr, wakes_all: bool) -> Here {
        let condition = self.condition(call, pointer);
        let to = self.node(call.thread, call.span);
        self.signals.push(SignalSite { from: here.node, to, thread: call.thread, condition, wakes_all });
        Here { node: to, ..here }
    }

    /// `pthread_cond_signal`, `pthread_cond_broadcast`: whom it wakes is known when all threads are.
    pub fn signal(&mut self, here: Here, call: &Call<'_>, pointer: &Expr, wakes_all: bool) {
        if !self.options.deadlocks || here.mode.is_alone {
            return self.done(here, call, 0);
        }
        let here = self.before(here, call.thread, Mover::No, None);
        let here = self.wake(here, call, pointer, wakes_all);
        self.done(here, call, 0);
    }

    /// Completes the signals.
    pub fn finish_signals(&mut self) {
        for site in std::mem::take(&mut self.signals) {
            let mut queues: Vec<(ThreadIndex, (VariableId, VariableId))> =
                self.queues.iter().map(|(&thread, &queue)| (thread, queue)).collect();
            queues.sort_unstable();
            queues.retain(|(thread, _)| *thread != site.thread);
            let mut at = site.from;
            let mut nobody = self.terms.number(1, &self.new);
            for (_, (state, own)) in queues {
                let own = Place::variable(own, site.condition.ty);
                let is_it = self.terms.binary(BinaryOp::Equal, Expr::load(own), site.condition.clone());
                let state = self.terms.place(state);
                let is_queued = self.terms.holds(&state, QUEUED, &self.new);
                let both = self.terms.binary(BinaryOp::BitAnd, is_queued.clone(), is_it.clone());
                let is_none = self.terms.binary(BinaryOp::Equal, both, self.terms.number(0, &self.new));
                nobody = self.terms.binary(BinaryOp::BitAnd, nobody, is_none);
                let (queued, not) = self.two_ways(at, is_queued);
                let next = self.graph.add_node(Span::NOWHERE);
                self.graph.add_edge(not, next, Action::Skip, Span::NOWHERE);
                let (waits, other) = self.two_ways(queued, is_it);
                self.graph.add_edge(other, next, Action::Skip, Span::NOWHERE);
                let value = self.terms.number(0, &self.new);
                let wakes = Action::Assign { target: state, value };
                if site.wakes_all {
                    self.graph.add_edge(waits, next, wakes, Span::NOWHERE);
                } else {
                    let (this, a_later) = self.drawn_at(waits);
                    self.graph.add_edge(this, site.to, wakes, Span::NOWHERE);
                    self.graph.add_edge(a_later, next, Action::Skip, Span::NOWHERE);
                }
                at = next;
            }
            if site.wakes_all {
                self.graph.add_edge(at, site.to, Action::Skip, Span::NOWHERE);
                continue;
            }
            // If somebody waits, somebody is woken.
            let lost = self.graph.add_node(Span::NOWHERE);
            let action = Action::Assume { condition: nobody, expected: true, reason: AssumeReason::User };
            self.graph.add_edge(at, lost, action, Span::NOWHERE);
            self.graph.add_edge(lost, site.to, Action::Skip, Span::NOWHERE);
        }
    }
}

/// A signal, whose possible waiters are known when all threads are.
pub struct SignalSite {
    pub from: program::NodeId,
    pub to: program::NodeId,
    pub thread: ThreadIndex,
    pub condition: Expr,
    pub wakes_all: bool,
}
