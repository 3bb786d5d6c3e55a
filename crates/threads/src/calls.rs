//! Calls: those that have steps others see are copied, the rest stay calls.

use crate::cells;
use crate::creations::repeats;
use crate::general::{Created, Site};
use crate::mode::{FrameId, Here, Key, Mode, Mover, ThreadIndex};
use crate::sequential::Refusal;
use crate::shared::{Shared, callees, is_opaque, known_calls};
use crate::weave::{Back, Cut, ENDED, Frame, NOT_STARTED, Weaver};
use base::graph::components;
use base::{Id, Span};
use program::expr::{Access, Part};
use program::points_to::ObjectId;
use program::{
    Action, BinaryOp, Callee, Edge, EdgeId, Expr, ExprKind, HavocSource, Known, LifetimeStep, NodeId, Place,
    PlaceBase, PointsTo, ProcedureId, Program, RecordId, Type, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Threads in all.
const MOST_THREADS: usize = 16;
/// Threads that create threads that create threads.
const MOST_GENERATIONS: u32 = 3;
/// Calls of a function inside calls of itself that are copied.
const MOST_DEEP: usize = 3;
/// Nodes of the sequential program beyond which no such call is copied.
const MOST_NODES_TO_RECUR: usize = 10_000;
/// What programs know the first thread by; the others follow at equal distances.
const FIRST_HANDLE: u128 = 0x7000_0000;
const BETWEEN_HANDLES: u128 = 256;

/// What is known of procedures before their steps are copied.
#[derive(Debug)]
pub struct CallFacts {
    /// Have steps that others see.
    pub visible: FxHashSet<ProcedureId>,
    /// May not return: they loop, end the process, or nobody knows.
    pub endless: FxHashSet<ProcedureId>,
    /// Objects in which locks lie that are known by a pointer only.
    pub pointed: FxHashSet<ObjectId>,
    /// Is something to be called when the process ends?
    pub has_exit_handlers: bool,
    /// Is a lock asked for without waiting, somewhere?
    pub has_try: bool,
    /// Variables that hold nothing but handles.
    pub handles: FxHashSet<VariableId>,
    /// Types of locks of which one is initialised as something special.
    pub odd_kinds: FxHashSet<RecordId>,
    /// Do locks keep their state in the bytes of their objects, whatever these are?
    pub is_raw: bool,
    /// Are there mutexes of another kind than the normal one?
    pub has_kinds: bool,
    /// Static variables with mutexes that are initialised with attributes.
    pub given_kinds: FxHashSet<VariableId>,
    /// Does the program use the result of a barrier?
    pub has_serial: bool,
    /// Are locks destroyed?
    pub has_destroyed: bool,
    /// May thread-specific data have destructors?
    pub has_key_destructors: bool,
    /// Does the program look at `errno`?
    pub uses_errno: bool,
    /// Parameters and other variables that are written after they have begun, or whose address is taken.
    pub written: FxHashSet<VariableId>,
    /// What threads may still do for others, where that is asked.
    pub remaining: Option<program::Remaining>,
}

impl CallFacts {
    /// Looks at all procedures.
    pub fn of(program: &Program, points_to: &PointsTo, shared: &Shared) -> CallFacts {
        let has_own_steps = |id: ProcedureId| {
            let procedure = &program.procedures[id];
            let edges = procedure.body.iter().flat_map(|body| &body.edges);
            let mut is_seen = procedure.is_atomic && procedure.body.is_some();
            for edge in edges {
                edge.action.visit(&mut |part| {
                    if let Part::Place(place, Access::Read | Access::Write) = part {
                        is_seen |= shared.has(program, points_to, place);
                    }
                    // Each thread has its own: the code that names one is copied for each.
                    if let Part::Place(Place { base: PlaceBase::Variable(id), .. }, _) = part {
                        is_seen |= program.variables[*id].is_thread_local;
                    }
                });
                if let Action::Lifetime { variable, .. } = &edge.action {
                    let ty = program.variables[*variable].ty;
                    is_seen |= shared.has(program, points_to, &Place::variable(*variable, ty));
                }
            }
            is_seen
                || known_calls(program, id)
                    .any(|(_, known, given)| concerns_threads(known) && !is_step_mark(known, given))
                || passes_shared(program, points_to, shared, id)
        };
        let mut visible: FxHashSet<ProcedureId> =
            program.procedures.ids().filter(|&id| !is_opaque(program, id) && has_own_steps(id)).collect();
        close(program, points_to, &mut visible);
        let mut endless: FxHashSet<ProcedureId> =
            program.procedures.ids().filter(|&id| may_stay(program, points_to, id)).collect();
        close(program, points_to, &mut endless);
        let mut pointed = FxHashSet::default();
        let (mut has_try, mut has_exit_handlers) = (false, !program.destructors.is_empty());
        let mut lock_types = FxHashSet::default();
        let (mut is_raw, mut has_kinds, mut has_serial, mut has_destroyed) = (false, false, false, false);
        let mut has_key_destructors = false;
        let mut given_kinds = FxHashSet::default();
        for id in program.procedures.ids() {
            for (_, known, arguments) in known_calls(program, id) {
                has_try |= matches!(known, Known::MutexTryLock | Known::MutexTimedLock);
                has_exit_handlers |= known == Known::AtExit;
                has_kinds |= known == Known::MutexAttributesSetType;
                has_destroyed |= matches!(known, Known::MutexDestroy | Known::RwlockDestroy);
                has_key_destructors |= known == Known::KeyCreate
                    && arguments.get(1).is_some_and(|value| cells::uncast(value).as_integer() != Some(0));
                if known == Known::MutexInit && cells::objects_of(known, arguments).len() > 1 {
                    given_kinds.extend(cells::static_place(program, &arguments[0]).map(|(id, _)| id));
                }
                for pointer in cells::objects_of(known, arguments) {
                    is_raw |= cells::says_nothing(program, pointer);
                    let pointee = program.types.pointee(cells::typed(program, pointer).ty);
                    lock_types.extend(pointee.and_then(|to| program.types.record_id(to.id)));
                    if cells::static_place(program, pointer).is_none() {
                        pointed
                            .extend(points_to.points_to(program, pointer).iter().map(|target| target.object));
                    }
                }
            }
        }
        for edge in program.edges() {
            if let Action::Call { callee: Callee::Direct(callee), result: Some(_), .. } = &edge.action {
                has_serial |= program.procedures[*callee].known == Some(Known::BarrierWait);
            }
        }
        let odd_kinds = cells::oddly_initialised(program, &lock_types);
        has_kinds |= cells::has_kinds(program, &lock_types);
        let handles = crate::handles::plain_handles(program);
        let uses_errno = program.looks_at_error_number();
        CallFacts {
            visible,
            endless,
            pointed,
            has_exit_handlers,
            has_try,
            handles,
            odd_kinds,
            is_raw,
            has_kinds,
            given_kinds,
            has_serial,
            has_destroyed,
            has_key_destructors,
            uses_errno,
            written: written(program),
            remaining: None,
        }
    }
}

/// Variables that some step writes, or whose address is taken.
fn written(program: &Program) -> FxHashSet<VariableId> {
    let mut found: FxHashSet<VariableId> = program
        .variables
        .iter_enumerated()
        .filter(|(_, variable)| variable.in_memory)
        .map(|(id, _)| id)
        .collect();
    for edge in program.edges() {
        edge.action.visit(&mut |part| {
            if let Part::Place(Place { base: PlaceBase::Variable(id), .. }, Access::Write | Access::Address) =
                part
            {
                found.insert(*id);
            }
        });
    }
    found
}

/// Does it pass memory that others use to a function without a body, which then accesses it?
fn passes_shared(program: &Program, points_to: &PointsTo, shared: &Shared, id: ProcedureId) -> bool {
    let edges = program.procedures[id].body.iter().flat_map(|body| body.edges.iter_enumerated());
    let is_passed = |value: &Expr| shared.is_pointed_to(program, points_to, value);
    edges.into_iter().any(|(edge_id, edge)| {
        let Action::Call { callee, arguments, .. } = &edge.action else { return false };
        let has_no_body = |callee: &ProcedureId| is_opaque(program, *callee);
        let is_native = match callee {
            Callee::Direct(callee) => has_no_body(callee),
            Callee::Indirect(_) => points_to.targets(id, edge_id).iter().any(has_no_body),
        };
        is_native && arguments.iter().any(is_passed)
    })
}

/// Those that call one of them are among them.
fn close(program: &Program, points_to: &PointsTo, found: &mut FxHashSet<ProcedureId>) {
    loop {
        let before = found.len();
        for id in program.procedures.ids() {
            let calls_one = || callees(program, points_to, id).iter().any(|callee| found.contains(callee));
            if !found.contains(&id) && !is_opaque(program, id) && calls_one() {
                found.insert(id);
            }
        }
        if found.len() == before {
            return;
        }
    }
}

/// May a call of the procedure not come back for a reason of its own?
fn may_stay(program: &Program, points_to: &PointsTo, id: ProcedureId) -> bool {
    let procedure = &program.procedures[id];
    let Some(body) = &procedure.body else {
        return procedure.is_noreturn || procedure.known.is_none_or(Known::never_returns);
    };
    let after = |node| body.out(node).map(|(_, edge)| edge.to).collect::<Vec<_>>();
    let loops = components(body.nodes.len(), [body.entry], after)
        .iter()
        .any(|component| component.len() > 1 || after(component[0]).contains(&component[0]));
    let recurs = || {
        let reached =
            base::graph::reachable(callees(program, points_to, id), |next| callees(program, points_to, next));
        reached.into_iter().any(|reached| reached == id)
    };
    // An assumption that does not hold ends a run: what came before it must be seen first.
    let assumes = body
        .edges
        .iter()
        .any(|edge| matches!(edge.action, Action::Assume { reason: program::AssumeReason::User, .. }));
    loops || assumes || procedure.is_noreturn || recurs()
}

/// Does a call say where a mere step begins or ends? Without accesses in between nobody sees it.
fn is_step_mark(known: Known, arguments: &[Expr]) -> bool {
    matches!(known, Known::AtomicBegin | Known::AtomicEnd) && Known::is_step(arguments)
}

/// Does a function have to do with threads?
pub fn concerns_threads(known: Known) -> bool {
    use Known::*;
    matches!(
        known,
        MutexTimedLock
            | MutexAttributesInit
            | MutexAttributesSetType
            | MutexAttributesDestroy
            | SpinInit
            | RwlockTryReadLock
            | RwlockTryWriteLock
            | RwlockTimedReadLock
            | RwlockTimedWriteLock
            | CondTimedWait
            | KeyDelete
            | SemaphoreTryWait
            | SemaphoreTimedWait
            | SemaphoreGetValue
            | AtomicBegin
            | AtomicEnd
            | ThreadCreate
            | ThreadJoin
            | ThreadExit
            | ThreadSelf
            | ThreadDetach
            | ThreadYield
            | MutexInit
            | MutexDestroy
            | MutexLock
            | MutexTryLock
            | MutexUnlock
            | RwlockInit
            | RwlockDestroy
            | RwlockReadLock
            | RwlockWriteLock
            | RwlockUnlock
            | CondInit
            | CondDestroy
            | CondWait
            | CondSignal
            | CondBroadcast
            | OnceCall
            | KeyCreate
            | KeyGet
            | KeySet
            | BarrierInit
            | BarrierDestroy
            | BarrierWait
            | SemaphoreInit
            | SemaphoreDestroy
            | SemaphoreWait
            | SemaphorePost
    )
}

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

/// Calls that were copied, and threads that were made for calls.
#[derive(Default)]
pub struct Made {
    frames: FxHashMap<(FrameId, EdgeId, ProcedureId), FrameId>,
    threads: FxHashMap<(FrameId, EdgeId, ProcedureId), Vec<(ThreadIndex, FrameId)>>,
    pub joins: Vec<JoinSite>,
}

/// What programs know a thread by.
pub fn handle_of(thread: ThreadIndex) -> u128 {
    FIRST_HANDLE + BETWEEN_HANDLES * thread.index() as u128
}

impl Weaver<'_> {
    /// Copies a call.
    pub fn call(&mut self, here: Here, frame: FrameId, id: EdgeId, edge: &Edge) -> Result<(), Refusal> {
        let Action::Call { result, callee, arguments } = &edge.action else {
            unreachable!("only calls are copied as calls")
        };
        match callee {
            Callee::Direct(callee) => {
                self.call_of(here, frame, id, edge, *callee, result.as_ref(), arguments)
            }
            Callee::Indirect(pointer) => {
                let procedure = self.frames[frame].procedure;
                let thread = self.frames[frame].thread;
                let targets = self.points_to.targets(procedure, id).to_vec();
                if !targets.iter().any(|target| self.visible.contains(target)) {
                    let may_stay = targets.iter().any(|target| self.facts.endless.contains(target));
                    return self.stays_a_call(here, frame, edge, may_stay);
                }
                let mut here = here;
                for target in targets {
                    let address = Expr { kind: ExprKind::FunctionAddress(target), ty: pointer.ty };
                    let pointer = self.renamed(frame, pointer);
                    let is_it = self.terms.binary(BinaryOp::Equal, pointer, address);
                    let (yes, no) = self.branch(here, thread, is_it, edge.span);
                    self.call_of(yes, frame, id, edge, target, result.as_ref(), arguments)?;
                    here = no;
                }
                self.give_up(here, thread, "a call through a pointer to an unknown function", edge.span);
                Ok(())
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn call_of(
        &mut self,
        here: Here,
        frame: FrameId,
        id: EdgeId,
        edge: &Edge,
        callee: ProcedureId,
        result: Option<&Place>,
        arguments: &[Expr],
    ) -> Result<(), Refusal> {
        let procedure = &self.old.procedures[callee];
        let thread = self.frames[frame].thread;
        let is_error =
            |general: &crate::general::General| general.errors.iter().any(|name| **name == *procedure.name);
        if self.is_environment(thread) && self.general.is_some_and(is_error) {
            self.nobody(here.node);
            return Ok(());
        }
        let has_meaning = procedure.has_direct_meaning() || procedure.known.is_some_and(Known::is_marker);
        if let Some(known) = procedure.known.filter(|&known| has_meaning && concerns_threads(known)) {
            let result = result.map(|place| self.renamed_place(frame, place));
            return self.synchronise(here, frame, id, edge, known, result, arguments);
        }
        if self.visible.contains(&callee) && !is_opaque(self.old, callee) {
            let mut here = here;
            if procedure.is_atomic {
                let entry = self.body(callee)?.entry;
                here = self.begin_section(here, thread, (callee, entry));
            }
            return self.enter(here, frame, id, edge, callee, result, arguments);
        }
        if matches!(edge.action, Action::Call { callee: Callee::Indirect(_), .. }) {
            let action = self.renamed_action(frame, &edge.action);
            let Action::Call { result, arguments, .. } = action else { return Ok(()) };
            let direct = Action::Call { result, callee: Callee::Direct(callee), arguments };
            let here =
                if self.facts.endless.contains(&callee) { self.cut_if_past(here, thread) } else { here };
            let target = self.arrive(frame, edge.to, here.mode);
            self.graph.add_edge(here.node, target, direct, edge.span);
            return Ok(());
        }
        if is_opaque(self.old, callee) && !here.mode.is_alone {
            if procedure.known.is_some_and(Known::never_returns) {
                if self.is_environment(thread) {
                    self.nobody(here.node);
                    return Ok(());
                }
                let here = self.before(here, thread, Mover::No, None);
                return self.stays_a_call(here, frame, edge, false);
            }
            let touched: Vec<&Expr> = arguments
                .iter()
                .filter(|value| self.shared.is_pointed_to(self.old, self.points_to, value))
                .collect();
            if !touched.is_empty() {
                return self.native(here, frame, edge, procedure.known, &touched);
            }
        }
        self.stays_a_call(here, frame, edge, self.facts.endless.contains(&callee))
    }

    /// A library function without a body is passed memory that others use.
    fn native(
        &mut self,
        here: Here,
        frame: FrameId,
        edge: &Edge,
        known: Option<Known>,
        touched: &[&Expr],
    ) -> Result<(), Refusal> {
        let thread = self.frames[frame].thread;
        for value in touched {
            self.log.all_behind(here.node, thread, value, self.old, self.points_to);
        }
        let is_quiet = touched.iter().all(|value| self.quiet.has_all_behind(self.old, self.points_to, value));
        // In an atomic section it is one step; for races, its accesses are not known one by one.
        if is_quiet || self.surveys || (here.mode.sections > 0 && !self.options.races) {
            return self.stays_a_call(here, frame, edge, false);
        }
        // To free a block is one step, whoever looks on.
        if matches!(known, Some(Known::Free)) && !self.options.races {
            let here = self.before(here, thread, Mover::No, None);
            return self.stays_a_call(here, frame, edge, false);
        }
        self.give_up(here, thread, "a library function works on memory that other threads use", edge.span);
        Ok(())
    }

    fn stays_a_call(
        &mut self,
        here: Here,
        frame: FrameId,
        edge: &Edge,
        may_stay: bool,
    ) -> Result<(), Refusal> {
        let thread = self.frames[frame].thread;
        let here = if may_stay { self.cut_if_past(here, thread) } else { here };
        let action = self.renamed_action(frame, &edge.action);
        let target = self.arrive(frame, edge.to, here.mode);
        self.graph.add_edge(here.node, target, action, edge.span);
        Ok(())
    }

    fn cut_if_past(&mut self, here: Here, thread: ThreadIndex) -> Here {
        let must_cut = here.mode.is_past || self.options.deadlocks;
        if must_cut && !here.mode.is_undisturbed() { self.cut(here, thread, None) } else { here }
    }

    /// Copies the body of what is called.
    #[allow(clippy::too_many_arguments)]
    pub fn enter(
        &mut self,
        here: Here,
        frame: FrameId,
        id: EdgeId,
        edge: &Edge,
        callee: ProcedureId,
        result: Option<&Place>,
        arguments: &[Expr],
    ) -> Result<(), Refusal> {
        let result = result.map(|place| self.renamed_place(frame, place));
        let back = Back { frame, to: edge.to, result, span: edge.span, first: Vec::new() };
        let arguments = self.renamed_arguments(frame, callee, arguments);
        self.enter_with(here, frame, id, callee, &arguments, back)
    }

    /// The same with arguments that are renamed already.
    pub fn enter_with(
        &mut self,
        here: Here,
        frame: FrameId,
        id: EdgeId,
        callee: ProcedureId,
        arguments: &[Expr],
        back: Back,
    ) -> Result<(), Refusal> {
        let (thread, span) = (self.frames[frame].thread, back.span);
        let depth = self.running(frame, callee);
        if depth > 0 && (depth > MOST_DEEP || self.graph.nodes.len() > MOST_NODES_TO_RECUR) {
            let name = &self.old.procedures[callee].name;
            let why = format!("`{name}` calls itself so deep, and has steps that other threads see");
            self.give_up(here, thread, &why, span);
            return Ok(());
        }
        if is_variadic(self.old, callee) {
            self.give_up(
                here,
                thread,
                "a function with a variable number of arguments has steps that other threads see",
                span,
            );
            return Ok(());
        }
        let within = self.frames[frame].procedure;
        let repeated = self.frames[frame].repeats || repeats(self.body(within)?, id);
        let own = match self.made.frames.get(&(frame, id, callee)) {
            Some(&own) => own,
            None => {
                let variables = self.own_copies(callee);
                let points_at = self.pointing_parameters(callee, arguments);
                let mut path = self.frames[frame].path.clone();
                path.push((id, callee));
                let own = self.frames.push(Frame {
                    thread,
                    procedure: callee,
                    variables,
                    back: Some(back),
                    repeats: repeated,
                    path,
                    points_at,
                });
                self.made.frames.insert((frame, id, callee), own);
                own
            }
        };
        let here = self.begin(here, own, arguments, span);
        let entry = self.body(callee)?.entry;
        self.go_on(here, own, entry, span);
        Ok(())
    }

    /// Parameters get their values; variables in memory begin to live.
    pub fn begin(&mut self, here: Here, frame: FrameId, arguments: &[Expr], span: Span) -> Here {
        let Frame { thread, procedure, .. } = self.frames[frame];
        let callee = &self.old.procedures[procedure];
        let mut here = here;
        for id in self.living(procedure) {
            let variable = self.renamed_variable(frame, id);
            here = self.step(here, thread, Action::Lifetime { variable, step: LifetimeStep::Begin }, span);
        }
        for (position, &parameter) in callee.parameters.iter().enumerate() {
            let ty = self.old.variables[parameter].ty;
            if self.points_to_own(frame, parameter) {
                continue;
            }
            let target = Place::variable(self.renamed_variable(frame, parameter), ty.id);
            let action = match arguments.get(position) {
                Some(value) => Action::Assign { target, value: value.clone().cast(ty.id) },
                None => Action::Havoc { target, source: HavocSource::Indeterminate },
            };
            here = self.step(here, thread, action, span);
        }
        here
    }

    /// Variables in memory that live as long as the call.
    pub fn living(&self, procedure: ProcedureId) -> Vec<VariableId> {
        let callee = &self.old.procedures[procedure];
        let mut in_blocks = FxHashSet::default();
        for edge in callee.body.iter().flat_map(|body| &body.edges) {
            if let Action::Lifetime { variable, .. } = &edge.action {
                in_blocks.insert(*variable);
            }
        }
        let all = callee.parameters.iter().chain(&callee.locals).copied();
        let is_living = |id: &VariableId| {
            self.old.variables[*id].in_memory && !in_blocks.contains(id) && !self.facts.handles.contains(id)
        };
        all.filter(is_living).collect()
    }

    /// Parameters that point to a static variable, or to one of a call around this one, whatever happens in it.
    pub fn pointing_parameters(
        &self,
        callee: ProcedureId,
        arguments: &[Expr],
    ) -> FxHashMap<VariableId, Place> {
        let procedure = &self.old.procedures[callee];
        let mut known = FxHashMap::default();
        for (&parameter, value) in procedure.parameters.iter().zip(arguments) {
            let ExprKind::AddressOf(place) = &cells::uncast(value).kind else { continue };
            let PlaceBase::Variable(id) = place.base else { continue };
            let is_static = id.index() < self.old.variables.len()
                && self.old.variables[id].kind == program::VariableKind::Global
                && !self.old.variables[id].is_thread_local
                && !self.facts.handles.contains(&id);
            let is_fixed = place.path.iter().all(|step| match step {
                program::Projection::Field(..) => true,
                program::Projection::Index(index) => index.as_integer().is_some(),
            });
            let pointee = self.old.types.pointee(self.old.variables[parameter].ty.id);
            let is_same_type = pointee.is_some_and(|to| to.id == place.ty.id);
            let is_known = is_static && is_fixed || self.is_of_call(place);
            if is_known && is_same_type && !self.facts.written.contains(&parameter) {
                known.insert(parameter, (**place).clone());
            }
        }
        known
    }

    fn own_copies(&mut self, procedure: ProcedureId) -> FxHashMap<VariableId, VariableId> {
        let callee = &self.old.procedures[procedure];
        let mut copies = FxHashMap::default();
        for &id in callee.parameters.iter().chain(&callee.locals) {
            let mut variable = self.old.variables[id].clone();
            // Conditions speak of what a thread has loaded and not yet used; elsewhere that is nobody's concern.
            if self.general.is_some() || !matches!(variable.kind, program::VariableKind::Temporary) {
                variable.kind = program::VariableKind::Local;
            }
            variable.procedure = Some(self.main);
            variable.in_memory &= !self.facts.handles.contains(&id);
            let copy = self.new.variables.push(variable);
            self.new.procedures[self.main].locals.push(copy);
            self.originals.insert(copy, id);
            copies.insert(id, copy);
        }
        copies
    }

    /// Calls of a procedure that a call is inside of.
    fn running(&self, frame: FrameId, callee: ProcedureId) -> usize {
        let mut at = Some(frame);
        let mut count = 0;
        while let Some(frame) = at {
            count += usize::from(self.frames[frame].procedure == callee);
            at = self.frames[frame].back.as_ref().map(|back| back.frame);
        }
        count
    }

    /// The procedure ends.
    pub fn returns(
        &mut self,
        here: Here,
        frame: FrameId,
        value: Option<&Expr>,
        span: Span,
    ) -> Result<(), Refusal> {
        let Frame { thread, procedure, .. } = self.frames[frame];
        let value = value.map(|value| self.renamed(frame, value));
        let mut here = here;
        let Some(back) = self.frames[frame].back.clone() else {
            if thread.index() == 0 {
                let here = self.before(here, thread, Mover::No, None);
                self.graph.add_edge(here.node, self.graph.exit, Action::Return { value }, span);
                return Ok(());
            }
            if let Some(value) = value {
                here = self.ends_with(here, thread, value, span);
            }
            here = self.no_destructors(here, thread, span);
            here = self.die(here, frame, span);
            self.set_counter(here, thread, ENDED);
            return Ok(());
        };
        if let Some(target) = back.result {
            let action = match value {
                Some(value) => Action::Assign { target, value },
                None => Action::Havoc { target, source: HavocSource::Indeterminate },
            };
            here = self.step(here, thread, action, span);
        }
        here = self.die(here, frame, span);
        for action in back.first {
            here = self.step(here, thread, action, span);
        }
        if self.old.procedures[procedure].is_atomic {
            here = self.end_section(here);
        }
        self.go_on(here, back.frame, back.to, back.span);
        Ok(())
    }

    /// An atomic section begins, at this place of the program.
    pub fn begin_section(&mut self, here: Here, thread: ThreadIndex, at: (ProcedureId, NodeId)) -> Here {
        // Who waits inside is not seen to wait.
        let mover = if self.options.deadlocks { Mover::No } else { self.quiet.section(at) };
        let is_first = here.mode.sections == 0;
        let mut here = self.before(here, thread, mover, None);
        if is_first && !here.mode.is_alone {
            here.mode.is_light = matches!(mover, Mover::Right | Mover::Both);
            self.log.section_starts.push((here.node, at));
        }
        here.mode.sections = here.mode.sections.saturating_add(1);
        here
    }

    /// An atomic section ends.
    pub fn end_section(&mut self, here: Here) -> Here {
        let mut mode = here.mode;
        mode.sections = mode.sections.saturating_sub(1);
        if mode.sections == 0 {
            mode.is_past |= !mode.is_alone && !mode.is_light;
            mode.is_light = false;
            self.log.section_ends.insert(here.node);
        }
        Here { mode, ..here }
    }

    fn ends_with(&mut self, here: Here, thread: ThreadIndex, value: Expr, span: Span) -> Here {
        let result = self.threads[thread].result;
        let ty = self.new.variables[result].ty.id;
        if !self.new.types.is_scalar(value.ty) {
            return here;
        }
        let target = Place::variable(result, ty);
        self.step(here, thread, Action::Assign { target, value: value.cast(ty) }, span)
    }

    /// Variables of a copied call die.
    fn die(&mut self, here: Here, frame: FrameId, span: Span) -> Here {
        let Frame { thread, procedure, .. } = self.frames[frame];
        let mut here = here;
        if self.frames[frame].back.is_none() && thread.index() == 0 {
            return here;
        }
        for id in self.living(procedure) {
            let action = Action::Lifetime { variable: id, step: LifetimeStep::End };
            here = self.before_access(here, frame, &action, span).unwrap_or(here);
            let action = self.renamed_action(frame, &action);
            here = self.step(here, thread, action, span);
        }
        here
    }

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
            here = self.die(here, frame, span);
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

    /// The result of a call.
    pub fn give(
        &mut self,
        here: Here,
        thread: ThreadIndex,
        result: Option<&Place>,
        number: i64,
        span: Span,
    ) -> Here {
        let Some(target) = result else { return here };
        let value = Expr::integer(number as u128, target.ty.id, &self.new.types);
        self.step(here, thread, Action::Assign { target: target.clone(), value }, span)
    }
}

fn is_variadic(program: &Program, id: ProcedureId) -> bool {
    matches!(program.types.get(program.procedures[id].ty), Type::Function(function) if function.is_variadic)
}
