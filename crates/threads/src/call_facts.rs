//! What is known of procedures before their steps are copied: which have steps that others see, which may not return,
//! what locks and handles there are.

use crate::cells;
use crate::shared::{Shared, callees, is_opaque, known_calls};
use base::graph::components;
use program::expr::{Access, ExprPart};
use program::points_to::ObjectId;
use program::{
    Action, Callee, Expr, Known, Place, PlaceBase, PointsTo, ProcedureId, Program, RecordId, VariableId,
};
use rustc_hash::FxHashSet;

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
                    if let ExprPart::Place(place, Access::Read | Access::Write) = part {
                        is_seen |= shared.has(program, points_to, place);
                    }
                    // Each thread has its own: the code that names one is copied for each.
                    if let ExprPart::Place(Place { base: PlaceBase::Variable(id), .. }, _) = part {
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
            if let ExprPart::Place(
                Place { base: PlaceBase::Variable(id), .. },
                Access::Write | Access::Address,
            ) = part
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

/// Does nothing come after a call of it? An error function ends the run where it is not asked about too: what other threads did before must be seen first.
pub fn ends_the_run(known: Known) -> bool {
    known.never_returns() || known == Known::ReachError
}

/// May a call of the procedure not come back for a reason of its own?
fn may_stay(program: &Program, points_to: &PointsTo, id: ProcedureId) -> bool {
    let procedure = &program.procedures[id];
    let Some(body) = &procedure.body else {
        return procedure.is_noreturn || procedure.known.is_none_or(ends_the_run);
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
