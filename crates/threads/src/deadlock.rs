//! Threads that wait for ever: before threads are chosen it may be looked whether there is a set of them that nobody
//! will release.
//!
//! A deadlock is a non-empty set of waiting threads such that whoever could release a member is in the set or has
//! ended: the owner of a mutex, one holder of a read-write lock, the thread that is joined, each living thread whose
//! remaining code may signal, post or arrive ([`program::Remaining`]). The set is drawn, and what makes it one is
//! checked: a run comes to the call that stands for deadlocks if and only if there is such a set. Others may still run.
//! Spinning, timed waits, assumptions that do not hold and the end of the process are no deadlocks.
//!
//! **Obligation.** Every step that may wait has a cut of its own before it when deadlocks are asked about, and so has every loop: a set as above stays one whatever
//! the others do up to their next cut (only a member can wake for no reason, and it may be chosen later), and what they did since their last that
//! moves to the right need not have been done. Twin: `concrete`'s `machine::deadlock`, compared on random programs.

use crate::lifecycle::handle_of;
use crate::mode::{Here, ThreadIndex};
use crate::weave::{Cut, ENDED, Weaver};
use base::{Id, Span};
use program::{
    Action, AssumeReason, BinaryOp, Callee, DEADLOCK, Expr, HavocSource, NEXT_THREAD, NodeId, Place, Release,
    Thing, VariableId,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a thread waits for at a cut.
#[derive(Clone, Debug)]
pub struct Waits {
    /// What it is.
    pub on: On,
    /// How the program calls it.
    pub name: String,
}

/// What can be waited for, with where its state is.
#[derive(Clone, Debug)]
pub enum On {
    /// A mutex: one more than the position of its owner, 0 where it is free.
    Mutex { owner: Place, again: Again },
    /// A lock for reading.
    Reading { writer: Place },
    /// A lock for writing.
    Writing { writer: Place, readers: Place },
    /// The end of a thread.
    End { handle: Expr },
    /// A signal: the variable is 1 as long as none has come.
    Signal { state: VariableId, objects: BTreeSet<Thing> },
    /// A semaphore above zero.
    Post { count: Place, objects: BTreeSet<Thing> },
    /// Others at a barrier: the variable is 1 as long as they have not come.
    Arrival { state: VariableId, objects: BTreeSet<Thing> },
    /// The end of another thread's `pthread_once`.
    Once { state: Place },
}

/// What the owner of a mutex does that locks it again.
#[derive(Clone, Debug)]
pub enum Again {
    /// It waits for itself.
    Waits,
    /// It goes on, with a count or an error.
    GoesOn,
    /// It goes on if the kind of the mutex, which is kept there, says so.
    ByKind(Place),
}

/// A thread that waits, and the cut where it does.
struct Waiting {
    thread: ThreadIndex,
    number: i64,
    waits: Waits,
    span: Span,
}

impl Weaver<'_> {
    /// The thread may be interrupted here, and perhaps cannot go on.
    pub fn cut_waiting(&mut self, here: Here, thread: ThreadIndex, waits: Waits) -> Here {
        let here = self.cut(here, thread, None);
        if let Some(cut) = self.threads[thread].cuts.last_mut() {
            cut.waits = Some(waits);
        }
        here
    }

    /// A thread waits for ever, and it is known which.
    pub fn waits_for_ever(&mut self, here: Here, thread: ThreadIndex, waits: &Waits, span: Span) {
        self.tell(here.node, format!("{} waits for {}, and nobody else runs", name(thread), waits.name));
        self.call_of_what_stands_for(here.node, DEADLOCK, span);
    }

    /// Where it may be looked for deadlocks. Gives the node where threads are chosen.
    pub fn look_for_deadlocks(&mut self, at: NodeId) -> NodeId {
        let all = self.all_waiting();
        if !self.options.deadlocks || all.is_empty() {
            return at;
        }
        let (looks, chooses) = self.drawn_at(at);
        let stuck: Vec<Option<VariableId>> = self
            .threads
            .ids()
            .map(|id| all.iter().any(|waiting| waiting.thread == id).then_some(id))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|id| id.map(|id| self.variable(&format!("{} is stuck", plain_name(id)), self.terms.int)))
            .collect();
        self.accounts.extend(stuck.iter().flatten());
        let mut at = looks;
        for thread in self.threads.ids().collect::<Vec<_>>() {
            let Some(own) = stuck[thread.index()] else { continue };
            at = self.draw_membership(at, thread, own, &all);
        }
        for thread in self.threads.ids().collect::<Vec<_>>() {
            let Some(own) = stuck[thread.index()] else { continue };
            let member = self.terms.holds(&self.terms.place(own), 1, &self.new);
            let (mut yes, no) = self.two_ways(at, member);
            let after = no;
            for waiting in all.iter().filter(|waiting| waiting.thread == thread) {
                let (there, elsewhere) = self.stands_at(yes, thread, waiting.number);
                self.nobody_releases(there, after, waiting, &stuck);
                yes = elsewhere;
            }
            self.dead_end(yes);
            at = after;
        }
        let none = stuck.iter().flatten().fold(self.terms.number(1, &self.new), |none, &own| {
            let is_out = self.terms.holds(&self.terms.place(own), 0, &self.new);
            self.terms.binary(BinaryOp::BitAnd, none, is_out)
        });
        let (nobody, somebody) = self.two_ways(at, none);
        self.dead_end(nobody);
        self.call_of_what_stands_for(somebody, DEADLOCK, Span::NOWHERE);
        chooses
    }

    fn all_waiting(&self) -> Vec<Waiting> {
        let mut all = Vec::new();
        for (thread, known) in self.threads.iter_enumerated() {
            for (position, cut) in known.cuts.iter().enumerate() {
                if let Some(waits) = &cut.waits {
                    let span = self.graph.nodes[cut.from].span;
                    let number = position as i64 + 1;
                    all.push(Waiting { thread, number, waits: waits.clone(), span });
                }
            }
        }
        all
    }

    /// A thread that waits may be one of the set.
    fn draw_membership(
        &mut self,
        at: NodeId,
        thread: ThreadIndex,
        own: VariableId,
        all: &[Waiting],
    ) -> NodeId {
        let out = self.graph.add_node(Span::NOWHERE);
        let after = self.graph.add_node(Span::NOWHERE);
        let mut at = at;
        for waiting in all.iter().filter(|waiting| waiting.thread == thread) {
            let (there, elsewhere) = self.stands_at(at, thread, waiting.number);
            let blocked = self.is_blocked(waiting);
            let (blocked, goes_on) = self.two_ways(there, blocked);
            self.graph.add_edge(goes_on, out, Action::Skip, Span::NOWHERE);
            let (is_in, is_not) = self.drawn_at(blocked);
            self.graph.add_edge(is_not, out, Action::Skip, Span::NOWHERE);
            self.set(is_in, after, own, 1);
            at = elsewhere;
        }
        self.graph.add_edge(at, out, Action::Skip, Span::NOWHERE);
        self.set(out, after, own, 0);
        after
    }

    fn set(&mut self, from: NodeId, to: NodeId, variable: VariableId, number: i64) {
        let target = self.terms.place(variable);
        let value = self.terms.number(number, &self.new);
        self.graph.add_edge(from, to, Action::Assign { target, value }, Span::NOWHERE);
    }

    fn stands_at(&mut self, at: NodeId, thread: ThreadIndex, number: i64) -> (NodeId, NodeId) {
        let counter = self.terms.place(self.threads[thread].counter);
        let stands_there = self.terms.holds(&counter, number, &self.new);
        self.two_ways(at, stands_there)
    }

    /// Both ways from a node.
    pub fn two_ways(&mut self, from: NodeId, condition: Expr) -> (NodeId, NodeId) {
        let mut side = |expected: bool| {
            let node = self.graph.add_node(Span::NOWHERE);
            let reason = AssumeReason::Branch;
            let action = Action::Assume { condition: condition.clone(), expected, reason };
            self.graph.add_edge(from, node, action, Span::NOWHERE);
            node
        };
        (side(true), side(false))
    }

    /// Two ways, of which either may be taken.
    pub fn drawn_at(&mut self, from: NodeId) -> (NodeId, NodeId) {
        let bool = self.new.types.bool();
        let bit = Place::variable(self.choice_bit(bool), bool);
        let drawn = self.graph.add_node(Span::NOWHERE);
        let source = HavocSource::Input(Arc::from(NEXT_THREAD));
        self.graph.add_edge(from, drawn, Action::Havoc { target: bit.clone(), source }, Span::NOWHERE);
        let is_set = Expr::load(bit).cast(self.terms.int);
        self.two_ways(drawn, is_set)
    }

    /// No run goes on here.
    pub fn dead_end(&mut self, at: NodeId) {
        let end = self.graph.add_node(Span::NOWHERE);
        let condition = self.terms.number(0, &self.new);
        let action = Action::Assume { condition, expected: true, reason: AssumeReason::User };
        self.graph.add_edge(at, end, action, Span::NOWHERE);
    }

    /// Says what a run that comes to a node shows.
    pub fn tell(&mut self, node: NodeId, what: String) {
        self.remarks.insert(node, Arc::from(what));
    }

    /// The run is what a function stands for.
    pub fn call_of_what_stands_for(&mut self, from: NodeId, name: &'static str, span: Span) {
        let procedure = self.stands_for(name);
        let end = self.graph.add_node(span);
        let action = Action::Call { result: None, callee: Callee::Direct(procedure), arguments: Vec::new() };
        self.graph.add_edge(from, end, action, span);
    }

    fn either(&self, one: Expr, two: Expr) -> Expr {
        self.terms.binary(BinaryOp::BitOr, one, two)
    }

    fn not(&self, value: Expr) -> Expr {
        let zero = Expr::integer(0, value.ty, &self.new.types);
        self.terms.binary(BinaryOp::Equal, value, zero)
    }

    /// Can the thread not go on, while it stands there?
    fn is_blocked(&self, waiting: &Waiting) -> Expr {
        let holds = |place: &Place, number: i64| self.terms.holds(place, number, &self.new);
        match &waiting.waits.on {
            On::Mutex { owner, again } => {
                let taken = self.not(holds(owner, 0));
                let own = holds(owner, waiting.thread.index() as i64 + 1);
                let goes_on = match again {
                    Again::Waits => return taken,
                    Again::GoesOn => own,
                    Again::ByKind(kind) => {
                        let is_no_wait = self.either(holds(kind, 1), holds(kind, 2));
                        self.terms.binary(BinaryOp::BitAnd, own, is_no_wait)
                    }
                };
                self.terms.binary(BinaryOp::BitAnd, taken, self.not(goes_on))
            }
            On::Reading { writer } => {
                let own = holds(writer, waiting.thread.index() as i64 + 1);
                self.not(self.either(holds(writer, 0), own))
            }
            On::Writing { writer, readers } => {
                let own = holds(writer, waiting.thread.index() as i64 + 1);
                let free = self.terms.binary(BinaryOp::BitAnd, holds(writer, 0), holds(readers, 0));
                self.not(self.either(free, own))
            }
            On::End { .. } => {
                let none = self.terms.number(0, &self.new);
                self.threads.ids().filter(|&other| other != waiting.thread).fold(none, |some, other| {
                    let is_it = self.is_released_by(waiting, other);
                    let counter = self.terms.place(self.threads[other].counter);
                    let lives = self.not(holds(&counter, ENDED));
                    let let_go = holds(&self.terms.place(self.threads[other].is_let_go), 0);
                    let waits = self.terms.binary(BinaryOp::BitAnd, lives, let_go);
                    self.either(some, self.terms.binary(BinaryOp::BitAnd, is_it, waits))
                })
            }
            On::Signal { state, .. } | On::Arrival { state, .. } => holds(&self.terms.place(*state), 1),
            On::Post { count, .. } => holds(count, 0),
            On::Once { state } => {
                self.not(self.either(holds(state, 0), holds(state, crate::synchronisation::DONE)))
            }
        }
    }

    /// Is it that thread that must do something first?
    fn is_released_by(&self, waiting: &Waiting, other: ThreadIndex) -> Expr {
        let number = other.index() as i64 + 1;
        let holds = |place: &Place, number: i64| self.terms.holds(place, number, &self.new);
        match &waiting.waits.on {
            On::Mutex { owner, .. } => holds(owner, number),
            On::Reading { writer } => holds(writer, number),
            On::Writing { writer, readers } => {
                let reads = self.not(self.not(self.own_reads(readers, other)));
                self.either(holds(writer, number), reads)
            }
            On::End { handle } => {
                if self.new.types.integer_shape(handle.ty).is_none() {
                    return self.terms.number(0, &self.new);
                }
                let own = Expr::integer(handle_of(other), handle.ty, &self.new.types);
                self.terms.binary(BinaryOp::Equal, handle.clone(), own)
            }
            On::Once { state } => holds(state, crate::synchronisation::running(other)),
            On::Signal { .. } | On::Post { .. } | On::Arrival { .. } => self.terms.number(0, &self.new),
        }
    }

    /// Goes on to `to` if nobody outside the set can release the thread.
    fn nobody_releases(&mut self, from: NodeId, to: NodeId, waiting: &Waiting, stuck: &[Option<VariableId>]) {
        let thread = waiting.thread;
        let all: Vec<ThreadIndex> = self.threads.ids().collect();
        let told = |weaver: &mut Self, from: NodeId, what: String| {
            let node = weaver.node(thread, waiting.span);
            weaver.graph.add_edge(from, node, Action::Skip, waiting.span);
            weaver.tell(node, what);
            weaver.graph.add_edge(node, to, Action::Skip, waiting.span);
        };
        let what = format!("{} waits for {}", name(thread), waiting.waits.name);
        if let Some((release, objects)) = release_of(&waiting.waits.on) {
            let mut nobody = self.terms.number(1, &self.new);
            for &other in all.iter().filter(|&&other| other != thread) {
                let Some(may) = self.may_still(other, release, objects) else { continue };
                let mut cannot = self.not(may);
                if let Some(own) = stuck[other.index()] {
                    cannot = self.either(cannot, self.terms.value(own));
                }
                nobody = self.terms.binary(BinaryOp::BitAnd, nobody, cannot);
            }
            let (yes, no) = self.two_ways(from, nobody);
            self.dead_end(no);
            let how = match release {
                Release::Signal => "signal",
                Release::Post => "post",
                Release::Arrive => "come",
            };
            return told(self, yes, format!("{what}, and nobody is left who might {how}"));
        }
        let mut at = from;
        for other in all {
            let mut is_it = self.is_released_by(waiting, other);
            let (held, no) = {
                let ended =
                    self.terms.holds(&self.terms.place(self.threads[other].counter), ENDED, &self.new);
                let mut never = ended;
                if let Some(own) = stuck[other.index()] {
                    never = self.either(never, self.terms.value(own));
                }
                is_it = self.terms.binary(BinaryOp::BitAnd, is_it, never);
                self.two_ways(at, is_it)
            };
            at = no;
            let whose = match &waiting.waits.on {
                On::End { .. } => format!("{what}: {}", name(other)),
                On::Once { .. } => format!("{what}, which {} runs", name(other)),
                _ if other == thread => format!("{what}, which it holds itself"),
                _ => format!("{what}, which {} holds", name(other)),
            };
            told(self, held, whose);
        }
        self.dead_end(at);
    }

    /// Does the thread live and stand where its remaining code may do this?
    fn may_still(&self, thread: ThreadIndex, release: Release, objects: &BTreeSet<Thing>) -> Option<Expr> {
        let remaining = self.facts.remaining.as_ref()?;
        let may = |cut: &Cut| match cut.place {
            _ if cut.resumes.is_none() => true,
            None => true,
            Some((frame, node)) => {
                let mut at = Some((frame, node));
                std::iter::from_fn(|| {
                    let (frame, node) = at?;
                    let back = self.frames[frame].back.as_ref();
                    at = back.map(|back| (back.frame, back.to));
                    Some((self.frames[frame].procedure, node))
                })
                .any(|(procedure, node)| remaining.may(procedure, node, release, objects))
            }
        };
        let numbers: Vec<i64> = self.threads[thread]
            .cuts
            .iter()
            .enumerate()
            .filter(|(_, cut)| may(cut))
            .map(|(position, _)| position as i64 + 1)
            .collect();
        let counter = self.threads[thread].counter;
        let mut found: Option<Expr> = None;
        for range in numbers.chunk_by(|one, two| one + 1 == *two) {
            let first = self.terms.number(range[0], &self.new);
            let last = self.terms.number(range[range.len() - 1], &self.new);
            let from = self.terms.binary(BinaryOp::GreaterEqual, self.terms.value(counter), first);
            let to = self.terms.binary(BinaryOp::LessEqual, self.terms.value(counter), last);
            let within = self.terms.binary(BinaryOp::BitAnd, from, to);
            found = Some(match found {
                Some(found) => self.either(found, within),
                None => within,
            });
        }
        found
    }

    /// The objects that a pointer of a call leads to, for what waits for somebody to do something to them.
    pub fn waited_for(&self, pointer: &Expr) -> BTreeSet<Thing> {
        program::Remaining::objects(self.old, self.points_to, pointer)
    }

    /// How the program calls what a pointer points to.
    pub fn called(&self, pointer: &Expr) -> String {
        let pointer = crate::cells::uncast(pointer);
        match &pointer.kind {
            program::ExprKind::AddressOf(place) => format!("`{}`", self.old.show().place(place)),
            _ => format!("`*{}`", self.old.show().expr(pointer)),
        }
    }
}

fn release_of(on: &On) -> Option<(Release, &BTreeSet<Thing>)> {
    match on {
        On::Signal { objects, .. } => Some((Release::Signal, objects)),
        On::Post { objects, .. } => Some((Release::Post, objects)),
        On::Arrival { objects, .. } => Some((Release::Arrive, objects)),
        _ => None,
    }
}

/// What a thread is called in messages.
pub fn name(thread: ThreadIndex) -> String {
    match thread.index() {
        0 => "`main`".to_owned(),
        _ => plain_name(thread),
    }
}

/// The same in names of variables, which conditions of certificates are read back with.
fn plain_name(thread: ThreadIndex) -> String {
    match thread.index() {
        0 => "main".to_owned(),
        number => format!("thread {number}"),
    }
}
