//! How threads begin and end: `pthread_create`, `pthread_exit`, and the room there is for threads that a call may
//! create.

use crate::cells;
use crate::creations::repeats;
use crate::general::{Created, Site};
use crate::mode::{FrameId, Here, Key, Mode, Mover, ThreadIndex};
use crate::sequential::Refusal;
use crate::shared::{known_calls, running};
use crate::weave::{AloneSite, Cut, ENDED, Frame, NOT_STARTED, Weaver};
use base::{Id, Span};
use program::{Action, BinaryOp, Edge, EdgeId, Expr, ExprKind, Place, ProcedureId, Program};
use rustc_hash::FxHashMap;

/// Threads in all.
const MOST_THREADS: usize = 16;

/// Threads that create threads that create threads.
const MOST_GENERATIONS: u32 = 3;

/// What programs know the first thread by; the others follow at equal distances.
const FIRST_HANDLE: u128 = 0x7000_0000;

const BETWEEN_HANDLES: u128 = 256;

/// What programs know a thread by.
pub fn handle_of(thread: ThreadIndex) -> u128 {
    FIRST_HANDLE + BETWEEN_HANDLES * thread.index() as u128
}

impl Weaver<'_> {
    /// `pthread_exit`.
    pub fn exit_thread(&mut self, here: Here, frame: FrameId, value: Option<Expr>, span: Span) {
        let thread = self.frames[frame].thread;
        let mut here = here;
        if thread.index() == 0 && self.facts.has_exit_handlers {
            // The last thread to end calls them.
            return self.give_up(here, thread, "`pthread_exit` of `main` beside exit handlers", span);
        }
        if let Some(value) = value {
            here = self.ends_with(here, thread, value, span);
        }
        here = self.no_destructors(here, thread, span);
        let mut at = Some(frame);
        while let Some(frame) = at {
            // Blocks that are left so end no life by themselves.
            let variables = self.kept_in_memory(self.frames[frame].procedure);
            here = self.die(here, frame, variables, span);
            at = self.frames[frame].back.as_ref().map(|back| back.frame);
        }
        self.set_counter(here, thread, ENDED);
    }

    /// `pthread_create`.
    #[allow(clippy::too_many_arguments)]
    pub fn create(
        &mut self,
        here: Here,
        frame: FrameId,
        id: EdgeId,
        edge: &Edge,
        result: Option<Place>,
        arguments: &[Expr],
    ) -> Result<(), Refusal> {
        let Frame { thread, procedure, .. } = self.frames[frame];
        let span = edge.span;
        let mut here = self.before(here, thread, Mover::No, None);
        here.mode.is_alone = false;
        here.mode.is_past = here.mode.sections == 0;
        let starts =
            self.creations.at(procedure, id).map(|creation| creation.starts.clone()).unwrap_or_default();
        let Some(mut here) = self.before_store(here, frame, &arguments[0], span) else { return Ok(()) };
        let routine = self.renamed(frame, &arguments[2]);
        let given: Vec<Expr> = arguments[3..].iter().map(|value| self.renamed(frame, value)).collect();
        let into = self.renamed(frame, &arguments[0]);
        for &start in &starts {
            let mut on_this = here;
            if starts.len() > 1 {
                let address = Expr { kind: ExprKind::FunctionAddress(start), ty: routine.ty };
                let is_it = self.terms.binary(BinaryOp::Equal, routine.clone(), address);
                let (yes, no) = self.branch(here, thread, is_it, span);
                (on_this, here) = (yes, no);
            }
            let repeated = self.frames[frame].repeats || repeats(self.body(procedure)?, id);
            if self.creates_any(thread, start, repeated) {
                let created = Created { start, given: &given, into: &into, result: result.as_ref() };
                let done = self.create_any(on_this, thread, &created, span)?;
                for here in done {
                    self.go_on(here, frame, edge.to, span);
                }
                continue;
            }
            let slots = self.slots(frame, id, start, repeated, span)?;
            for (created, first) in slots {
                let counter = self.terms.place(self.threads[created].counter);
                let is_free = self.terms.holds(&counter, NOT_STARTED, &self.new);
                let mut started = on_this;
                if repeated {
                    (started, on_this) = self.branch(on_this, thread, is_free, span);
                }
                started = self.begin(started, first, &given, span);
                let value = self.terms.number(1, &self.new);
                started = self.step(started, thread, Action::Assign { target: counter, value }, span);
                let handle = |program: &Program, ty| Expr::integer(handle_of(created), ty, &program.types);
                started = self.store_handle(started, thread, &into, handle, span);
                started = self.give(started, thread, result.as_ref(), 0, span);
                self.go_on(started, frame, edge.to, span);
                if !repeated {
                    break;
                }
            }
            if repeated {
                let why = format!("more than {} threads are created at one place", self.options.most_at_once);
                self.give_up(on_this, thread, &why, span);
            }
        }
        if starts.len() != 1 {
            self.give_up(here, thread, "a thread that starts with an unknown function", span);
        }
        Ok(())
    }

    /// The process ends. What other threads allocate and free in one go is one step here, but the end may come in between.
    pub fn ends_with_others(&mut self, here: Here, thread: ThreadIndex, span: Span) -> Here {
        if !self.options.leaks || here.mode.is_alone || !self.others_allocate(thread) {
            return here;
        }
        let (alone, not) = (self.node(thread, span), self.node(thread, span));
        self.alone.push(AloneSite { from: here.node, alone, not, thread });
        let others = Here { node: not, ..here };
        self.give_up(
            others,
            thread,
            "the end of the program beside threads that may have allocated memory",
            span,
        );
        Here { node: alone, ..here }
    }

    /// May threads allocate that are not this one?
    fn others_allocate(&self, thread: ThreadIndex) -> bool {
        use program::Known::{AlignedAlloc, Calloc, Malloc, Realloc};
        let is_first = |start: ProcedureId| start == self.main;
        let roots = self.creations.roots(self.old).into_iter().map(|(start, _)| start);
        let others = roots.filter(|&start| thread.index() != 0 || !is_first(start));
        let mut run = others.flat_map(|start| running(self.old, self.points_to, start));
        run.any(|id| {
            known_calls(self.old, id)
                .any(|(_, known, _)| matches!(known, Malloc | Calloc | Realloc | AlignedAlloc))
        })
    }

    /// A function stores through a pointer, in the step that it is. Others may look at what it stores.
    pub fn before_store(&mut self, here: Here, frame: FrameId, into: &Expr, span: Span) -> Option<Here> {
        let thread = self.frames[frame].thread;
        let into = cells::uncast(into);
        if into.as_integer() == Some(0) || !self.shared.is_pointed_to(self.old, self.points_to, into) {
            return Some(here);
        }
        self.log.all_behind(here.node, thread, into, self.old, self.points_to);
        if self.options.races && !self.surveys {
            self.give_up(here, thread, "a handle or result of a thread that several threads access", span);
            return None;
        }
        Some(here)
    }

    pub fn store_handle(
        &mut self,
        here: Here,
        thread: ThreadIndex,
        into: &Expr,
        handle: impl FnOnce(&Program, program::TypeId) -> Expr,
        span: Span,
    ) -> Here {
        let Some(to) = self.new.types.pointee(cells::uncast(into).ty) else { return here };
        if into.as_integer() == Some(0) || self.new.types.integer_shape(to.id).is_none() {
            return here;
        }
        let target = match &cells::uncast(into).kind {
            ExprKind::AddressOf(place) => (**place).clone(),
            _ => Place::pointed_to_by(cells::uncast(into).clone(), to.id),
        };
        let value = handle(&self.new, to.id);
        self.step(here, thread, Action::Assign { target, value }, span)
    }

    /// A thread that has not started, with its first call.
    pub fn add_started(
        &mut self,
        start: ProcedureId,
        span: Span,
        generation: u32,
        creator: Option<ThreadIndex>,
    ) -> Result<(ThreadIndex, FrameId), Refusal> {
        let entry = self.body(start)?.entry;
        let thread = self.add_thread(start, span, generation);
        self.threads[thread].creator = creator;
        let variables = self.own_copies(start);
        let path = Vec::new();
        let frame = self.frames.push(Frame {
            thread,
            procedure: start,
            variables,
            back: None,
            repeats: false,
            path,
            points_at: FxHashMap::default(),
        });
        let first = self.copy(Key { frame, node: entry, mode: Mode::STARTED });
        let place = Some((frame, entry));
        let cut = Cut { from: first, resumes: Some(first), stand: None, waits: None, place };
        self.threads[thread].cuts.push(cut);
        self.sites.insert((thread, 1), Site::Entry);
        Ok((thread, frame))
    }

    /// The threads that a call can create.
    fn slots(
        &mut self,
        frame: FrameId,
        id: EdgeId,
        start: ProcedureId,
        repeated: bool,
        span: Span,
    ) -> Result<Vec<(ThreadIndex, FrameId)>, Refusal> {
        if let Some(made) = self.made.threads.get(&(frame, id, start)) {
            return Ok(made.clone());
        }
        let generation = self.threads[self.frames[frame].thread].generation + 1;
        let wanted = if repeated { self.options.most_at_once as usize } else { 1 };
        let room = MOST_THREADS.saturating_sub(self.threads.len());
        let count = if generation > MOST_GENERATIONS { 0 } else { wanted.min(room) };
        let mut made = Vec::new();
        for _ in 0..count {
            let thread = self.add_started(start, span, generation, Some(self.frames[frame].thread))?;
            made.push(thread);
        }
        self.is_limited |= repeated;
        if count < wanted && !repeated {
            return Err(Refusal { construct: "a program that creates so many threads".into(), at: span });
        }
        self.made.threads.insert((frame, id, start), made.clone());
        Ok(made)
    }
}
