//! Any number of threads: `main` and threads that are created once are followed; of threads that are created again and again, a few are followed (each creation may be
//! of one of them), and everybody else is one *environment* thread per start procedure (a *class*). Whenever the environment is chosen, it stands at any cut of its
//! code with any values of its variables that the conditions allow, does one block, and is forgotten.
//!
//! Source: thread-modular reasoning after Owicki and Gries (1976) and Flanagan and Qadeer, "Thread-modular model checking" (2003); conditions about one and two threads
//! as in Pnueli, Ruah and Zuck, "Automatic deductive verification with invisible invariants" (2001) and Hoenicke, Majumdar and Podelski, "Thread modularity at many
//! levels" (2017).
//!
//! **Obligation.** Let C be the conditions, each about the shared state and one or two different threads at given cuts. If no run of the program made here fails (neither in what is
//! asked, nor in the check of C that stands where threads are chosen, nor by coming to something unsupported), then no run of the threaded program fails, whatever the number of threads.
//! *Why.* Take a run of the threaded program in blocks (`mode` says why that is enough) and any selection of at most `followed` threads of each class. As long as C holds of all
//! threads and all pairs, the program made here can repeat the run with the same shared state and the same state of the selected threads, of `main` and of the threads created once: a
//! block of any other thread is one of the environment, which may be given that thread's place and values since they satisfy C by themselves and with every thread that is followed.
//! Now take the first block at which something fails. It is a block of one thread. Select that thread: the program made here repeats the run and does that block as its own, and
//! fails too. Or C fails after it, for one thread or a pair: select those, and the check of C fails. So the first failure would have been seen. What an environment thread would do that is a failure, or not supported, is therefore
//! taken not to happen (`give_up`, error functions, labels).
//! Conditions about two threads of one class need two followed: with one, they are neither supposed nor checked.
//!
//! What is known less exactly of the threads that are not followed: a lock that one of them has is owned by *the environment* (a mutex that one of them wants is taken for it either way); their handles are any
//! numbers that no followed thread has; to join one of them may end at once; `main` is never alone again once one was created. All these are more runs, never fewer.
//! Refused where they are not: barriers and own handles (`pthread_self`) of such threads, pointers of theirs to anything but named objects, variables of theirs in memory that others
//! may touch or that are no integers.

use crate::joins::JoinSite;
use crate::mode::{FrameId, Here, Mode, ThreadIndex};
use crate::sequential::Refusal;
use crate::tallies::Tally;
use crate::weave::{NOT_STARTED, Weaver};
use base::{Id, Span};
use program::{
    Action, AssumeReason, BinaryOp, EdgeId, Expr, HavocSource, NEXT_THREAD, NodeId, Place, ProcedureId,
    Program, TypeId, VariableId,
};
use std::sync::Arc;

use crate::conditions::Condition;

/// How any number of threads is spoken of.
#[derive(Clone, Debug, Default)]
pub struct General {
    /// Threads of each class that are followed.
    pub followed: u32,
    /// What is supposed of the others.
    pub conditions: Vec<Condition>,
    /// Counts that conditions speak of.
    pub tallies: Vec<Tally>,
    /// What the program is for.
    pub purpose: Purpose,
    /// Functions that must not be called.
    pub errors: Vec<String>,
}

/// What a program about any number of threads is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// To find out which conditions hold: each has a switch, 1 where it is supposed.
    Search,
    /// To prove: all conditions are supposed of the environment, and checked of those that are followed.
    #[default]
    Proof,
    /// To see what real runs do: there is nobody but those that are followed.
    Runs,
}

/// Is a thread one thread, or does it stand for others?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// One thread, created once.
    Exact,
    /// Any one of a class.
    Followed(usize),
    /// All others of a class.
    Environment(usize),
}

impl Role {
    /// Does it stand for all others of a class?
    pub fn is_environment(self) -> bool {
        matches!(self, Role::Environment(_))
    }
}

/// Threads that start with the same procedure, where there is any number of them.
#[derive(Clone, Debug)]
pub struct Class {
    pub start: ProcedureId,
    pub followed: Vec<(ThreadIndex, FrameId)>,
    pub environment: (ThreadIndex, FrameId),
    /// 1 once a thread was created that is not followed.
    pub exists: VariableId,
}

/// What tells a cut apart from the others of its thread, the same for all threads of a class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Site {
    Entry,
    Stopped,
    Inside { path: Vec<(EdgeId, ProcedureId)>, node: NodeId, mode: Mode, cut: u32 },
}

/// A call that creates a thread.
pub struct Created<'c> {
    pub start: ProcedureId,
    /// What the thread's routine is given.
    pub given: &'c [Expr],
    pub into: &'c Expr,
    pub result: Option<&'c Place>,
}

/// Handles of threads that are not followed are at least this, and less than that.
const OTHER_HANDLES: (u128, u128) = (0x7100_0000, 0x7fff_ff00);

impl Weaver<'_> {
    /// Does the thread stand for others?
    pub fn is_environment(&self, thread: ThreadIndex) -> bool {
        self.threads[thread].role.is_environment()
    }

    /// May a call create any number of threads?
    pub fn creates_any(&self, creator: ThreadIndex, start: ProcedureId, repeated: bool) -> bool {
        if self.general.is_none() {
            return false;
        }
        let mut ancestor = Some(creator);
        let mut is_again = false;
        while let Some(thread) = ancestor {
            is_again |= self.threads[thread].start == start;
            ancestor = self.threads[thread].creator;
        }
        repeated || is_again || self.threads[creator].role != Role::Exact
    }

    fn class_of(&mut self, start: ProcedureId, span: Span) -> Result<usize, Refusal> {
        if let Some(known) = self.classes.iter().position(|class| class.start == start) {
            return Ok(known);
        }
        let class = self.classes.len();
        let count = self.general.map_or(1, |general| general.followed);
        let exists =
            self.variable(&format!("__others_run_{}", self.old.procedures[start].name), self.terms.int);
        let environment = self.add_started(start, span, 1, None)?;
        self.threads[environment.0].role = Role::Environment(class);
        let mut followed = Vec::new();
        for _ in 0..count {
            let one = self.add_started(start, span, 1, None)?;
            self.threads[one.0].role = Role::Followed(class);
            followed.push(one);
        }
        self.classes.push(Class { start, followed, environment, exists });
        self.is_limited = true;
        Ok(class)
    }

    /// A thread of a class is created: one that is followed from now on, or another.
    pub fn create_any(
        &mut self,
        here: Here,
        thread: ThreadIndex,
        created: &Created<'_>,
        span: Span,
    ) -> Result<Vec<Here>, Refusal> {
        let class = self.class_of(created.start, span)?;
        let Class { followed, environment, exists, .. } = self.classes[class].clone();
        let mut done = Vec::new();
        let mut here = here;
        for (at, &(one, frame)) in followed.iter().enumerate() {
            // The one that is created first is followed first.
            let is_free = |weaver: &Self, other: ThreadIndex| {
                weaver.terms.holds(
                    &weaver.terms.place(weaver.threads[other].counter),
                    NOT_STARTED,
                    &weaver.new,
                )
            };
            let mut is_next = is_free(self, one);
            if at > 0 {
                let earlier = is_free(self, followed[at - 1].0);
                let zero = self.terms.number(0, &self.new);
                let has_begun = self.terms.binary(BinaryOp::Equal, earlier, zero);
                is_next = self.terms.binary(BinaryOp::BitAnd, is_next, has_begun);
            }
            let (free, taken) = self.branch(here, thread, is_next, span);
            let (drawn, not) = self.draw_bit(free, thread, span);
            let mut started = self.begin(drawn, frame, created.given, span);
            let value = self.terms.number(1, &self.new);
            let counter = self.terms.place(self.threads[one].counter);
            started = self.step(started, thread, Action::Assign { target: counter, value }, span);
            let handle =
                |program: &Program, ty| Expr::integer(crate::lifecycle::handle_of(one), ty, &program.types);
            started = self.store_handle(started, thread, created.into, handle, span);
            started = self.give(started, thread, created.result, 0, span);
            done.push(started);
            let joined = self.node(thread, span);
            self.graph.add_edge(taken.node, joined, Action::Skip, span);
            self.graph.add_edge(not.node, joined, Action::Skip, span);
            here = Here { node: joined, ..here };
        }
        if self.general.is_some_and(|general| general.purpose == Purpose::Runs) {
            // Nobody goes on here; but places are those of the program that proves.
            let (never, reason) = (self.terms.number(0, &self.new), AssumeReason::User);
            let action = Action::Assume { condition: never, expected: true, reason };
            here = self.step(here, thread, action, span);
        }
        self.tell_what_others_get(here, environment.1, created.given, span);
        let one = self.terms.number(1, &self.new);
        here = self.step(here, thread, Action::Assign { target: self.terms.place(exists), value: one }, span);
        here = self.store_other_handle(here, thread, created.into, span);
        here = self.give(here, thread, created.result, 0, span);
        done.push(here);
        Ok(done)
    }

    /// Any of two ways.
    fn draw_bit(&mut self, here: Here, thread: ThreadIndex, span: Span) -> (Here, Here) {
        let bool = self.new.types.bool();
        let bit = Place::variable(self.choice_bit(bool), bool);
        let source = HavocSource::Input(Arc::from(NEXT_THREAD));
        let here = self.step(here, thread, Action::Havoc { target: bit.clone(), source }, span);
        let condition = Expr::load(bit).cast(self.terms.int);
        self.branch(here, thread, condition, span)
    }

    /// Steps that are never taken: what pointers of the environment may point to is found from them.
    fn tell_what_others_get(&mut self, here: Here, frame: FrameId, given: &[Expr], span: Span) {
        let procedure = self.frames[frame].procedure;
        let never = self.terms.number(0, &self.new);
        let mut at = self.plain();
        self.assume(here.node, at, never, true, AssumeReason::User);
        for (&parameter, value) in self.old.procedures[procedure].parameters.iter().zip(given) {
            let ty = self.old.variables[parameter].ty;
            let target = Place::variable(self.renamed_variable(frame, parameter), ty.id);
            let next = self.plain();
            let value = value.clone().cast(ty.id);
            self.graph.add_edge(at, next, Action::Assign { target, value }, span);
            at = next;
        }
    }

    /// The handle of a thread that is not followed: any number that no other has.
    fn store_other_handle(&mut self, here: Here, thread: ThreadIndex, into: &Expr, span: Span) -> Here {
        let Some(to) = self.new.types.pointee(crate::cells::uncast(into).ty) else { return here };
        if into.as_integer() == Some(0) || self.new.types.integer_shape(to.id).is_none() {
            return here;
        }
        let fresh = self.variable("__other_handle", to.id);
        let target = Place::variable(fresh, to.id);
        let source = HavocSource::Input(Arc::from("handle of a thread"));
        let here = self.step(here, thread, Action::Havoc { target: target.clone(), source }, span);
        let is_other = self.is_other_handle(Expr::load(target.clone()));
        let action = Action::Assume { condition: is_other, expected: true, reason: AssumeReason::User };
        let here = self.step(here, thread, action, span);
        self.store_handle(here, thread, into, |_, _| Expr::load(target), span)
    }

    fn is_other_handle(&self, handle: Expr) -> Expr {
        let (low, high) = OTHER_HANDLES;
        let number = |value: u128, ty: TypeId| Expr::integer(value, ty, &self.new.types);
        let ty = handle.ty;
        let above = self.terms.binary(BinaryOp::GreaterEqual, handle.clone(), number(low, ty));
        let below = self.terms.binary(BinaryOp::Less, handle, number(high, ty));
        self.terms.binary(BinaryOp::BitAnd, above, below)
    }

    /// Threads but one, the environment left out.
    pub fn followed_but(&self, thread: ThreadIndex) -> Vec<ThreadIndex> {
        self.threads.ids().filter(|&other| other != thread && !self.is_environment(other)).collect()
    }

    /// A thread that is not followed may be joined at any time.
    pub fn join_any(&mut self, at: NodeId, join: &JoinSite) -> NodeId {
        if self.classes.is_empty() || self.new.types.integer_shape(join.handle.ty).is_none() {
            return at;
        }
        let is_other = self.is_other_handle(join.handle.clone());
        let (yes, no) = (self.plain(), self.plain());
        self.assume(at, yes, is_other.clone(), true, AssumeReason::Branch);
        self.assume(at, no, is_other, false, AssumeReason::Branch);
        let action = match join.into {
            None => Action::Skip,
            Some(_) => Action::Unsupported(Arc::from("the result of a thread among any number of threads")),
        };
        self.graph.add_edge(yes, join.to, action, join.span);
        no
    }

    /// `main` is not alone while there may be others.
    pub fn leave_if_any(&mut self, at: NodeId, not: NodeId) -> NodeId {
        let mut at = at;
        for class in 0..self.classes.len() {
            let exists = self.terms.holds(&self.terms.place(self.classes[class].exists), 1, &self.new);
            let next = self.plain();
            self.assume(at, not, exists.clone(), true, AssumeReason::Branch);
            self.assume(at, next, exists, false, AssumeReason::Branch);
            at = next;
        }
        at
    }

    /// What the variables of this file hold at the start.
    pub fn general_starts(&self) -> Vec<(VariableId, i64)> {
        let exist = self.classes.iter().map(|class| (class.exists, 0));
        exist.chain(self.switches.iter().map(|&switch| (switch, 1))).collect()
    }

    /// Any number of threads cannot be spoken of.
    pub fn refuse(&mut self, construct: &str, at: Span) {
        self.refusal.get_or_insert_with(|| Refusal { construct: construct.to_owned(), at });
    }

    /// The number of a thread as the owner of locks.
    pub fn owner_number(thread: ThreadIndex) -> i64 {
        thread.index() as i64 + 1
    }
}
