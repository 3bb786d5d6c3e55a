//! What threads share: objects and variables that two threads may touch. Decided by escape, not by who dereferences, since one abstract local
//! stands for those of all instances of a procedure.
//!
//! **Obligation.** Whatever two different threads of a run access is in here. More than that costs interleavings, not right answers.

use crate::creations::Creations;
use base::graph::reachable;
use program::expr::{Access, ExprPart};
use program::points_to::{ObjectId, ObjectKind};
use program::{
    Action, Callee, EdgeId, Expr, Known, Place, PointsTo, ProcedureId, Program, VariableId, VariableKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Who touches something: one procedure that one thread starts with, or several threads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    Only(ProcedureId),
    Several,
}

/// What several threads may touch.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    objects: FxHashSet<ObjectId>,
    registers: FxHashSet<VariableId>,
}

impl Shared {
    /// Looks at the whole program.
    pub fn of(program: &Program, points_to: &PointsTo, creations: &Creations) -> Shared {
        let exposed = exposed(program, points_to, creations);
        let mut objects: FxHashMap<ObjectId, Who> = FxHashMap::default();
        let mut registers: FxHashMap<VariableId, Who> = FxHashMap::default();
        for (root, is_one) in creations.roots(program) {
            let who = if is_one { Who::Only(root) } else { Who::Several };
            for id in running(program, points_to, root) {
                for_each_access(program, points_to, id, &mut |touched| match touched {
                    Touched::Object(object) => meet(objects.entry(object).or_insert(who), who),
                    Touched::Register(variable) => meet(registers.entry(variable).or_insert(who), who),
                });
            }
        }
        let is_shared_object = |&(object, who): &(ObjectId, Who)| {
            who == Who::Several
                && match points_to.object(object) {
                    ObjectKind::Procedure(_) => false,
                    ObjectKind::Variable(id) => is_static(program, id) || exposed.contains(&object),
                    ObjectKind::Allocation(..) => exposed.contains(&object),
                    ObjectKind::Unknown | ObjectKind::Result(_) | ObjectKind::ExtraArguments => true,
                }
        };
        let is_shared_register =
            |&(id, who): &(VariableId, Who)| who == Who::Several && is_static(program, id);
        Shared {
            objects: objects.into_iter().filter(is_shared_object).map(|(object, _)| object).collect(),
            registers: registers.into_iter().filter(is_shared_register).map(|(id, _)| id).collect(),
        }
    }

    /// May another thread touch the place too?
    pub fn has(&self, program: &Program, points_to: &PointsTo, place: &Place) -> bool {
        if let Some(id) = place.as_variable()
            && self.registers.contains(&id)
        {
            return true;
        }
        points_to.locations(program, place).iter().any(|target| self.has_object(target.object))
    }

    /// May another thread touch the object too?
    pub fn has_object(&self, object: ObjectId) -> bool {
        self.objects.contains(&object)
    }

    /// May a value point to what another thread touches?
    pub fn is_pointed_to(&self, program: &Program, points_to: &PointsTo, value: &Expr) -> bool {
        points_to.points_to(program, value).iter().any(|target| self.has_object(target.object))
    }
}

fn meet(known: &mut Who, who: Who) {
    if *known != who {
        *known = Who::Several;
    }
}

/// One instance for the whole program, and never written by valid programs if it is a literal.
fn is_static(program: &Program, id: VariableId) -> bool {
    let variable = &program.variables[id];
    variable.kind == VariableKind::Global && !variable.is_thread_local
}

/// Procedures that a thread may run that starts with the given one.
pub fn running(program: &Program, points_to: &PointsTo, root: ProcedureId) -> Vec<ProcedureId> {
    let mut found: Vec<ProcedureId> =
        reachable([root], |id| callees(program, points_to, id)).into_iter().collect();
    found.sort_unstable();
    found
}

/// What a procedure calls, library functions that call back included.
pub fn callees(program: &Program, points_to: &PointsTo, id: ProcedureId) -> Vec<ProcedureId> {
    let mut found = points_to.callees(program, id);
    for (_, known, arguments) in known_calls(program, id) {
        let called_back = match known {
            Known::OnceCall | Known::KeyCreate => arguments.get(1),
            Known::AtExit => arguments.first(),
            _ => None,
        };
        found.extend(called_back.into_iter().flat_map(|value| points_to.procedures_in(program, value)));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The calls of functions with a built-in meaning.
pub fn known_calls(program: &Program, id: ProcedureId) -> impl Iterator<Item = (EdgeId, Known, &[Expr])> {
    let edges = program.procedures[id].body.iter().flat_map(|body| body.edges.iter_enumerated());
    edges.filter_map(|(edge_id, edge)| {
        let Action::Call { callee: Callee::Direct(callee), arguments, .. } = &edge.action else {
            return None;
        };
        let callee = &program.procedures[*callee];
        let known = callee.known.filter(|known| callee.has_direct_meaning() || known.is_marker())?;
        Some((edge_id, known, arguments.as_slice()))
    })
}

/// Is what the procedure accesses not seen in its body? It has none, or engines know better what it does (`memset`).
pub fn is_opaque(program: &Program, id: ProcedureId) -> bool {
    let procedure = &program.procedures[id];
    procedure.body.is_none() || procedure.is_native()
}

enum Touched {
    Object(ObjectId),
    Register(VariableId),
}

fn for_each_access(program: &Program, points_to: &PointsTo, id: ProcedureId, touch: &mut dyn FnMut(Touched)) {
    for edge in program.procedures[id].body.iter().flat_map(|body| &body.edges) {
        edge.action.visit(&mut |part| {
            let ExprPart::Place(place, Access::Read | Access::Write) = part else { return };
            if let Some(variable) = place.as_variable()
                && !program.variables[variable].in_memory
            {
                touch(Touched::Register(variable));
            }
            points_to
                .locations(program, place)
                .iter()
                .for_each(|target| touch(Touched::Object(target.object)));
        });
        if let Action::Call { callee: Callee::Direct(callee), arguments, .. } = &edge.action
            && is_opaque(program, *callee)
        {
            // What such a function is passed, it may look at.
            for target in arguments.iter().flat_map(|argument| points_to.points_to(program, argument)) {
                touch(Touched::Object(target.object));
            }
        }
    }
}

/// Objects that a thread other than the one that made them can get at: those that static memory, arguments of threads, their results or the
/// unknown lead to.
fn exposed(program: &Program, points_to: &PointsTo, creations: &Creations) -> FxHashSet<ObjectId> {
    let is_root = |&object: &ObjectId| match points_to.object(object) {
        ObjectKind::Variable(id) => is_static(program, id),
        ObjectKind::Unknown | ObjectKind::ExtraArguments => true,
        _ => points_to.is_escaped(object),
    };
    let mut roots: Vec<ObjectId> = points_to.objects().filter(is_root).collect();
    let handed_over = |value: &Expr| -> Vec<ObjectId> {
        points_to.points_to(program, value).into_iter().map(|target| target.object).collect()
    };
    // Static variables outside memory hold pointers too.
    for (id, variable) in program.variables.iter_enumerated() {
        if is_static(program, id) && !variable.in_memory {
            roots.extend(handed_over(&Expr::load(Place::variable(id, variable.ty))));
        }
    }
    roots.extend(creations.arguments(program).flat_map(handed_over));
    for id in program.procedures.ids() {
        for (_, known, arguments) in known_calls(program, id) {
            let passed_on = match known {
                Known::ThreadExit => arguments.first(),
                Known::KeySet => arguments.get(1),
                _ => None,
            };
            roots.extend(passed_on.into_iter().flat_map(handed_over));
        }
    }
    for id in creations.started() {
        let body = program.procedures[id].body.iter();
        for edge in body.flat_map(|body| &body.edges) {
            if let Action::Return { value: Some(value) } = &edge.action {
                roots.extend(handed_over(value));
            }
        }
    }
    let behind = |object: ObjectId| -> Vec<ObjectId> {
        points_to
            .cells_of(object)
            .flat_map(|cell| points_to.content(cell))
            .map(|target| target.object)
            .collect()
    };
    reachable(roots, behind).into_iter().collect()
}
