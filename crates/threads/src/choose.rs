//! Where threads are chosen: any thread that can run may be the next, wherever it stands. Joins, and what depends on all threads being known, are completed
//! here too.

use crate::general::Purpose;
use crate::mode::ThreadIndex;
use crate::sequential::Turns;
use crate::weave::{NOT_STARTED, Weaver};
use base::{Id, Span};
use program::interleaving::{halfway, turn_of};
use program::{Action, AssumeReason, BinaryOp, Expr, HavocSource, NEXT_THREAD, NodeId, Place, VariableId};

impl Weaver<'_> {
    /// Completes the graph.
    pub fn finish(&mut self) {
        self.finish_joins();
        self.finish_signals();
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
        let initial = self.cells.initial.clone();
        let general = self.general_starts();
        let states = states.into_iter().map(|state| (state, initial.get(&state).copied().unwrap_or(0)));
        let all = counters.into_iter().chain(let_go).chain(states).chain(general);
        for (variable, number) in all {
            let next = self.plain();
            let action = Action::Assign {
                target: self.terms.place(variable),
                value: self.terms.number(number, &self.new),
            };
            self.graph.add_edge(at, next, action, Span::NOWHERE);
            at = next;
        }
        for handle in self.static_handles().into_iter().chain(self.accounts()) {
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

    /// Further variables that keep account of threads.
    fn accounts(&mut self) -> Vec<VariableId> {
        self.kept = std::mem::take(&mut self.accounts);
        self.kept.clone()
    }

    /// The thread that is drawn goes on where it stands. It is drawn bit by bit: two ways each time, whoever draws.
    fn choose(&mut self) {
        // In a run of those that are followed nobody else is there.
        let is_run = self.general.is_some_and(|general| general.purpose == Purpose::Runs);
        let all: Vec<ThreadIndex> =
            self.threads.ids().filter(|&thread| !is_run || !self.is_environment(thread)).collect();
        let at = self.check_conditions(self.chooser);
        let looked = self.look_for_deadlocks(at);
        self.draws_after_looking = (looked != at).then_some(looked);
        let at = looked;
        let surroundings = std::mem::take(&mut self.surroundings);
        let at = self.suppose_counts(at, &surroundings.vocabulary, &|_| 0);
        self.surroundings = surroundings;
        match self.turns {
            Turns::Any => self.draw(at, &all),
            Turns::InOrder => self.in_order(at, &all),
        }
    }

    /// Each thread in turn makes a block, or none.
    fn in_order(&mut self, at: NodeId, all: &[ThreadIndex]) {
        let mut at = at;
        for &thread in all {
            let (runs, not) = self.asks_whether_it_runs(at, thread);
            let places = self.places(thread);
            self.resume(runs, thread, &places);
            let behind = self.behind(thread);
            self.graph.add_edge(not, behind, Action::Skip, Span::NOWHERE);
            at = behind;
        }
        self.graph.add_edge(at, self.chooser, Action::Skip, Span::NOWHERE);
    }

    /// Where control goes from a cut of the thread: to the choice of threads, or, in turns, on with the same
    /// thread or past its turn.
    pub fn where_others_run(&mut self, thread: ThreadIndex, number: i64) -> NodeId {
        if self.turns == Turns::Any {
            return self.chooser;
        }
        let behind = self.behind(thread);
        let cut =
            usize::try_from(number - 1).ok().and_then(|position| self.threads[thread].cuts.get(position));
        let Some(resumes) = cut.and_then(|cut| cut.resumes) else { return behind };
        let at = self.plain();
        let (goes_on, stops) = self.asks_whether_it_runs(at, thread);
        self.graph.add_edge(goes_on, resumes, Action::Skip, Span::NOWHERE);
        self.graph.add_edge(stops, behind, Action::Skip, Span::NOWHERE);
        at
    }

    /// The end of the thread's turn.
    fn behind(&mut self, thread: ThreadIndex) -> NodeId {
        if let Some(&known) = self.behind.get(&thread) {
            return known;
        }
        let made = self.plain();
        self.behind.insert(thread, made);
        made
    }

    /// Does the thread make the next block?
    fn asks_whether_it_runs(&mut self, at: NodeId, thread: ThreadIndex) -> (NodeId, NodeId) {
        let bool = self.new.types.bool();
        let bit = Place::variable(self.choice_bit(bool), bool);
        let (asked, yes, no) = (self.plain(), self.plain(), self.plain());
        let source = HavocSource::Input(turn_of(thread.index()));
        self.graph.add_edge(at, asked, Action::Havoc { target: bit.clone(), source }, Span::NOWHERE);
        let runs = Expr::load(bit).cast(self.terms.int);
        self.assume(asked, yes, runs.clone(), true, AssumeReason::Branch);
        self.assume(asked, no, runs, false, AssumeReason::Branch);
        (yes, no)
    }

    /// Where the thread may stand, by number.
    fn places(&self, thread: ThreadIndex) -> Vec<(i64, NodeId)> {
        let cuts = self.threads[thread].cuts.iter().enumerate();
        cuts.filter_map(|(position, cut)| Some((position as i64 + 1, cut.resumes?))).collect()
    }

    fn draw(&mut self, at: NodeId, among: &[ThreadIndex]) {
        if let [thread] = among {
            if self.is_environment(*thread) {
                return self.resume_environment(at, *thread);
            }
            let places = self.places(*thread);
            return self.resume(at, *thread, &places);
        }
        let (few, rest) = among.split_at(halfway(among.len()));
        let (later, earlier) = self.halves(at);
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
                if self.tallies.is_empty() {
                    self.assume(at, *node, stands_there, true, AssumeReason::User);
                    return;
                }
                let there = self.plain();
                self.assume(at, there, stands_there, true, AssumeReason::User);
                let out = self.count_out(there, thread, *number);
                self.graph.add_edge(out, *node, Action::Skip, Span::NOWHERE);
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
