//! Joining and detaching threads. Which threads a handle may stand for is known when all are: the calls are completed
//! then.

use crate::deadlock::{On, Waits};
use crate::lifecycle::handle_of;
use crate::mode::{Here, Mover, ThreadIndex};
use crate::synchronisation::{Call, WOULD_WAIT_FOR_EVER};
use crate::weave::{AloneSite, ENDED, Weaver};
use base::{Id, Span};
use program::{Action, AssumeReason, BinaryOp, Expr, NodeId, Place};
use std::sync::Arc;

/// A join, whose possible threads are known when all are.
pub struct JoinSite {
    pub from: program::NodeId,
    pub to: program::NodeId,
    pub thread: ThreadIndex,
    pub handle: Expr,
    /// Where the thread's result goes, unless it is null.
    pub into: Option<Expr>,
    pub span: Span,
    /// Is it a detach, which waits for nothing?
    pub detaches: bool,
}

/// `ESRCH`
const NO_SUCH: i64 = 3;
/// What is noted of a thread that was joined, and of one that was detached.
const JOINED: i64 = 1;
const DETACHED: i64 = 2;

impl Weaver<'_> {
    /// The ways on where a handle is the thread's own, and where it is not.
    fn is_own_handle(&mut self, here: Here, call: &Call<'_>, handle: &Expr) -> (Option<Here>, Here) {
        if self.new.types.integer_shape(handle.ty).is_none() {
            return (None, here);
        }
        let own = Expr::integer(handle_of(call.thread), handle.ty, &self.new.types);
        let is_own = self.terms.binary(BinaryOp::Equal, handle.clone(), own);
        let (own, other) = self.branch(here, call.thread, is_own, call.span);
        (Some(own), other)
    }

    /// `pthread_join`
    pub fn join(&mut self, here: Here, call: &Call<'_>, arguments: &[Expr]) {
        let thread = call.thread;
        let handle = self.renamed(call.frame, &arguments[0]);
        let name = format!("the end of `{}`", self.old.show().expr(&arguments[0]));
        let waits = Waits { on: On::End { handle: handle.clone() }, name };
        let here = self.before_waiting(here, call, Mover::No, &waits);
        let here = match arguments.get(1) {
            Some(into) => match self.before_store(here, call.frame, into, call.span) {
                Some(here) => here,
                None => return,
            },
            None => here,
        };
        let into = arguments
            .get(1)
            .filter(|into| crate::cells::uncast(into).as_integer() != Some(0))
            .map(|into| self.renamed(call.frame, into));
        let after = self.node(thread, call.span);
        let (own, from) = self.is_own_handle(here, call, &handle);
        if let Some(own) = own {
            self.done(own, call, WOULD_WAIT_FOR_EVER);
        }
        let (from, span) = (from.node, call.span);
        self.made.joins.push(JoinSite { from, to: after, thread, handle, into, span, detaches: false });
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

    /// `pthread_detach`
    pub fn detach(&mut self, here: Here, call: &Call<'_>, handle: &Expr) {
        let here = self.before(here, call.thread, Mover::No, None);
        let handle = self.renamed(call.frame, handle);
        let (from, to, span) = (here.node, self.node(call.thread, call.span), call.span);
        let thread = call.thread;
        let result = call.result.clone();
        self.made.joins.push(JoinSite { from, to, thread, handle, into: None, span, detaches: true });
        // A handle of no thread is told by the result.
        let here = Here { node: to, ..here };
        match result {
            None => self.go_on(here, call.frame, call.edge.to, call.span),
            Some(result) => {
                let told = self.terms.place(self.told_of_detaching());
                let value = Expr::load(told).cast(result.ty.id);
                let here = self.step(here, thread, Action::Assign { target: result, value }, call.span);
                self.go_on(here, call.frame, call.edge.to, call.span);
            }
        }
    }

    /// Completes joins and detaches.
    pub fn finish_joins(&mut self) {
        for join in std::mem::take(&mut self.made.joins) {
            let mut at = join.from;
            let mut others = self.followed_but(join.thread);
            others.extend(join.detaches.then_some(join.thread).filter(|&own| !self.is_environment(own)));
            for other in others {
                if self.new.types.integer_shape(join.handle.ty).is_none() {
                    break;
                }
                let handle = Expr::integer(handle_of(other), join.handle.ty, &self.new.types);
                let is_it = self.terms.binary(BinaryOp::Equal, join.handle.clone(), handle);
                let (yes, no) = self.two_ways(at, is_it);
                at = no;
                self.let_go(yes, &join, other);
            }
            if join.detaches {
                self.detached(at, &join, NO_SUCH);
                continue;
            }
            let at = self.join_any(at, &join);
            let at = self.of_thread(at, &join);
            let here = Here { node: at, mode: crate::mode::Mode::STARTED };
            self.misuse(here, join.thread, "what is joined is no thread", join.span);
        }
    }

    /// The same place, as one of the thread's.
    fn of_thread(&mut self, at: NodeId, join: &JoinSite) -> NodeId {
        let node = self.node(join.thread, join.span);
        self.graph.add_edge(at, node, Action::Skip, join.span);
        node
    }

    fn detached(&mut self, from: NodeId, join: &JoinSite, result: i64) {
        let target = self.terms.place(self.told_of_detaching());
        let value = self.terms.number(result, &self.new);
        self.graph.add_edge(from, join.to, Action::Assign { target, value }, join.span);
    }

    /// What the last call of `pthread_detach` gives.
    fn told_of_detaching(&mut self) -> program::VariableId {
        if let Some(told) = self.detaching {
            return told;
        }
        let told = self.variable("result of pthread_detach", self.terms.int);
        self.accounts.push(told);
        self.detaching = Some(told);
        told
    }

    /// A thread is joined when it has ended, once, and not when it was detached.
    fn let_go(&mut self, from: NodeId, join: &JoinSite, other: ThreadIndex) {
        let let_go = self.terms.place(self.threads[other].is_let_go);
        let was_free = self.terms.holds(&let_go, 0, &self.new);
        let (free, twice) = self.two_ways(from, was_free);
        let twice = self.of_thread(twice, join);
        let why = match join.detaches {
            true => "a thread is detached that was joined or detached before",
            false => "a thread is joined that was joined or detached before",
        };
        let here = Here { node: twice, mode: crate::mode::Mode::STARTED };
        self.misuse(here, join.thread, why, join.span);
        let noted = self.graph.add_node(Span::NOWHERE);
        let value = self.terms.number(if join.detaches { DETACHED } else { JOINED }, &self.new);
        let notes = Action::Assign { target: let_go, value };
        if join.detaches {
            self.graph.add_edge(free, noted, notes, join.span);
            return self.detached(noted, join, 0);
        }
        let joined = self.graph.add_node(Span::NOWHERE);
        let counter = self.terms.place(self.threads[other].counter);
        let condition = self.terms.holds(&counter, ENDED, &self.new);
        let waits = Action::Assume { condition, expected: true, reason: AssumeReason::User };
        self.graph.add_edge(free, joined, waits, Span::NOWHERE);
        self.graph.add_edge(joined, noted, notes, join.span);
        self.hand_result_over(noted, join, other);
    }

    fn hand_result_over(&mut self, from: NodeId, join: &JoinSite, other: ThreadIndex) {
        let result = self.threads[other].result;
        let ty = self.new.variables[result].ty.id;
        let value = Expr::load(Place::variable(result, ty));
        let Some((into, to)) = join.into.as_ref().and_then(|into| {
            let into = crate::cells::uncast(into).clone();
            Some((into.clone(), self.new.types.pointee(into.ty)?))
        }) else {
            self.graph.add_edge(from, join.to, Action::Skip, join.span);
            return;
        };
        let null = Expr::integer(0, into.ty, &self.new.types);
        let is_null = self.terms.binary(BinaryOp::Equal, into.clone(), null);
        let some = self.graph.add_node(Span::NOWHERE);
        let ways = [(join.to, true), (some, false)];
        for (to, expected) in ways {
            let reason = AssumeReason::Branch;
            let action = Action::Assume { condition: is_null.clone(), expected, reason };
            self.graph.add_edge(from, to, action, Span::NOWHERE);
        }
        let target = Place::pointed_to_by(into, to.id);
        let action = match self.new.types.is_scalar(to.id) {
            true => Action::Assign { value: value.cast(to.id), target },
            false => Action::Unsupported(Arc::from("a thread's result goes to what is no pointer")),
        };
        self.graph.add_edge(some, join.to, action, join.span);
    }
}
