//! Where threads are chosen: any thread that can run may be the next, wherever it stands. Joins, and what depends on all threads being known, are completed
//! here too.

use crate::calls::handle_of;
use crate::mode::ThreadIndex;
use crate::weave::{ENDED, NOT_STARTED, Weaver};
use base::Span;
use program::{Action, AssumeReason, BinaryOp, Expr, HavocSource, NEXT_THREAD, NodeId, Place, VariableId};
use std::sync::Arc;

impl Weaver<'_> {
    /// Completes the graph.
    pub fn finish(&mut self) {
        self.finish_joins();
        self.finish_alone();
        self.look_around();
        self.choose();
        self.begin_program();
    }

    pub fn assume(
        &mut self,
        from: NodeId,
        to: NodeId,
        condition: Expr,
        expected: bool,
        reason: AssumeReason,
    ) {
        self.graph.add_edge(from, to, Action::Assume { condition, expected, reason }, Span::NOWHERE);
    }

    pub fn plain(&mut self) -> NodeId {
        self.graph.add_node(Span::NOWHERE)
    }

    /// Counters and states of locks at the start.
    fn begin_program(&mut self) {
        let states: Vec<VariableId> = self.cells.variables().collect();
        let counters = self.threads.iter().map(|thread| (thread.counter, NOT_STARTED)).collect::<Vec<_>>();
        let let_go = self.threads.iter().map(|thread| (thread.is_let_go, 0)).collect::<Vec<_>>();
        let mut at = self.graph.entry;
        let mut states = states;
        states.sort_unstable();
        let general = self.general_starts();
        let all = counters
            .into_iter()
            .chain(let_go)
            .chain(states.into_iter().map(|state| (state, 0)))
            .chain(general);
        for (variable, number) in all {
            let next = self.plain();
            let action = Action::Assign {
                target: self.terms.place(variable),
                value: self.terms.number(number, &self.new),
            };
            self.graph.add_edge(at, next, action, Span::NOWHERE);
            at = next;
        }
        for handle in self.static_handles() {
            let next = self.plain();
            let ty = self.new.variables[handle].ty.id;
            let value = Expr::integer(0, ty, &self.new.types);
            self.graph.add_edge(
                at,
                next,
                Action::Assign { target: Place::variable(handle, ty), value },
                Span::NOWHERE,
            );
            at = next;
        }
        for thread in self.threads.ids() {
            let next = self.plain();
            let result = self.threads[thread].result;
            let ty = self.new.variables[result].ty.id;
            let value = Expr::integer(0, ty, &self.new.types);
            let action = Action::Assign { target: Place::variable(result, ty), value };
            self.graph.add_edge(at, next, action, Span::NOWHERE);
            at = next;
        }
        self.graph.add_edge(at, self.start(), Action::Skip, Span::NOWHERE);
    }

    /// The thread that is drawn goes on where it stands. It is drawn bit by bit: two ways each time, whoever draws.
    fn choose(&mut self) {
        let all: Vec<ThreadIndex> = self.threads.ids().collect();
        let at = self.check_conditions(self.chooser);
        self.draw(at, &all);
    }

    fn draw(&mut self, at: NodeId, among: &[ThreadIndex]) {
        if let [thread] = among {
            if self.is_environment(*thread) {
                return self.resume_environment(at, *thread);
            }
            let places: Vec<(i64, NodeId)> = self.threads[*thread]
                .cuts
                .iter()
                .enumerate()
                .filter_map(|(position, cut)| Some((position as i64 + 1, cut.resumes?)))
                .collect();
            return self.resume(at, *thread, &places);
        }
        let (few, rest) = among.split_at(among.len() / 2);
        let bool = self.new.types.bool();
        let bit = Place::variable(self.choice_bit(bool), bool);
        let drawn = self.plain();
        let source = HavocSource::Input(Arc::from(NEXT_THREAD));
        self.graph.add_edge(at, drawn, Action::Havoc { target: bit.clone(), source }, Span::NOWHERE);
        let is_later = Expr::load(bit).cast(self.terms.int);
        let (later, earlier) = (self.plain(), self.plain());
        self.assume(drawn, later, is_later.clone(), true, AssumeReason::Branch);
        self.assume(drawn, earlier, is_later, false, AssumeReason::Branch);
        self.draw(later, rest);
        self.draw(earlier, few);
    }

    pub fn choice_bit(&mut self, ty: program::TypeId) -> VariableId {
        match self.choice {
            Some(bit) => bit,
            None => {
                let bit = self.variable(NEXT_THREAD, ty);
                self.choice = Some(bit);
                bit
            }
        }
    }

    /// A choice that is none.
    pub fn nobody(&mut self, at: NodeId) {
        let end = self.plain();
        let never = self.terms.number(0, &self.new);
        self.assume(at, end, never, true, AssumeReason::User);
    }

    /// Halves the places until one is left.
    fn resume(&mut self, at: NodeId, thread: ThreadIndex, places: &[(i64, NodeId)]) {
        let counter = self.threads[thread].counter;
        match places {
            [] => self.nobody(at),
            [(number, node)] => {
                let stands_there = self.terms.holds(&self.terms.place(counter), *number, &self.new);
                self.assume(at, *node, stands_there, true, AssumeReason::User);
            }
            _ => {
                let (low, high) = places.split_at(places.len() / 2);
                let bound = self.terms.number(high[0].0, &self.new);
                let is_low = self.terms.binary(BinaryOp::Less, self.terms.value(counter), bound);
                let (yes, no) = (self.plain(), self.plain());
                self.assume(at, yes, is_low.clone(), true, AssumeReason::Branch);
                self.assume(at, no, is_low, false, AssumeReason::Branch);
                self.resume(yes, thread, low);
                self.resume(no, thread, high);
            }
        }
    }

    /// A thread is joined when it has ended.
    fn finish_joins(&mut self) {
        for join in std::mem::take(&mut self.made.joins) {
            let mut at = join.from;
            let others = self.followed_but(join.thread);
            for other in others {
                if self.new.types.integer_shape(join.handle.ty).is_none() {
                    break;
                }
                let handle = Expr::integer(handle_of(other), join.handle.ty, &self.new.types);
                let is_it = self.terms.binary(BinaryOp::Equal, join.handle.clone(), handle);
                let (yes, no) = (self.plain(), self.plain());
                self.assume(at, yes, is_it.clone(), true, AssumeReason::Branch);
                self.assume(at, no, is_it, false, AssumeReason::Branch);
                at = no;
                let joined = self.plain();
                let has_ended =
                    self.terms.holds(&self.terms.place(self.threads[other].counter), ENDED, &self.new);
                self.assume(yes, joined, has_ended, true, AssumeReason::User);
                // Nobody may join it again.
                let let_go = self.terms.place(self.threads[other].is_let_go);
                let was_free = self.terms.holds(&let_go, 0, &self.new);
                let (free, twice) = (self.plain(), self.plain());
                self.assume(joined, free, was_free.clone(), true, AssumeReason::Branch);
                self.assume(joined, twice, was_free, false, AssumeReason::Branch);
                let end = self.plain();
                let why = Action::Unsupported(Arc::from("a thread is joined twice"));
                self.graph.add_edge(twice, end, why, join.span);
                let noted = self.plain();
                let value = self.terms.number(1, &self.new);
                self.graph.add_edge(free, noted, Action::Assign { target: let_go, value }, join.span);
                self.hand_result_over(noted, &join, other);
            }
            let at = self.join_any(at, &join);
            let end = self.plain();
            let why = Action::Unsupported(Arc::from("what is joined is no thread"));
            self.graph.add_edge(at, end, why, join.span);
        }
    }

    fn hand_result_over(&mut self, from: NodeId, join: &crate::calls::JoinSite, other: ThreadIndex) {
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
        let some = self.plain();
        self.assume(from, join.to, is_null.clone(), true, AssumeReason::Branch);
        self.assume(from, some, is_null, false, AssumeReason::Branch);
        let target = Place::pointed_to_by(into, to.id);
        let action = match self.new.types.is_scalar(to.id) {
            true => Action::Assign { value: value.cast(to.id), target },
            false => Action::Unsupported(Arc::from("a thread's result goes to what is no pointer")),
        };
        self.graph.add_edge(some, join.to, action, join.span);
    }

    /// The first thread is alone when no other runs.
    fn finish_alone(&mut self) {
        for site in std::mem::take(&mut self.alone) {
            let mut at = site.from;
            at = self.leave_if_any(at, site.not);
            let others = self.followed_but(site.thread);
            for other in others {
                let none = self.terms.number(0, &self.new);
                let counter = self.terms.value(self.threads[other].counter);
                let runs = self.terms.binary(BinaryOp::Greater, counter, none);
                let next = self.plain();
                self.assume(at, site.not, runs.clone(), true, AssumeReason::Branch);
                self.assume(at, next, runs, false, AssumeReason::Branch);
                at = next;
            }
            self.graph.add_edge(at, site.alone, Action::Skip, Span::NOWHERE);
        }
    }
}
