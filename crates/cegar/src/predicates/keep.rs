//! Which procedures stay procedures, and what a call of one may change.
//!
//! One that calls itself must stay; one that is small and without loops is better walked into, since it needs
//! no predicates then. One whose variables are in memory, or that follows pointers, is walked into too: what
//! it needs to know of memory at its entry has no words here.

use program::expr::ExprPart;
use program::{Action, Known, PlaceBase, PointsTo, ProcedureId, Program, VariableKind};
use prove::{Changes, Order};
use rustc_hash::{FxHashMap, FxHashSet};
use symbolic::meaning::is_in_memory;
use verdict::{Reason, Shape};

/// A procedure without loops and with at most so many steps, those of what it calls among them, is walked
/// into.
const FEW_STEPS: usize = 60;

/// The procedures that stay procedures. Fails with the reason where one must stay and cannot.
pub fn kept(program: &Program, points_to: &PointsTo) -> Result<FxHashMap<ProcedureId, Changes>, Reason> {
    let main = program.main.ok_or(Shape::NoMain)?;
    let calls = Calls::of(program, points_to);
    if calls.reached_from(main).contains(&main) {
        return Err(Shape::MainRecurs.into());
    }
    let mut kept = FxHashMap::default();
    for id in calls.reached_from(main) {
        let procedure = &program.procedures[id];
        if procedure.body.is_none() || procedure.is_native() {
            continue;
        }
        let below = calls.reached_from(id);
        let is_recursive = below.contains(&id);
        if let Some(why) = objection(program, id, &below) {
            if is_recursive {
                let function = procedure.name.to_string();
                return Err(Shape::RecursionWithoutContract { function, because: why }.into());
            }
            continue;
        }
        if is_recursive || (is_worth_it(program, id, &below) && is_plain(program, id, &below)) {
            kept.insert(id, changes(program, id, &below));
        }
    }
    Ok(kept)
}

/// Who calls whom.
struct Calls {
    direct: FxHashMap<ProcedureId, Vec<ProcedureId>>,
}

impl Calls {
    fn of(program: &Program, points_to: &PointsTo) -> Calls {
        let direct = program.procedures.ids().map(|id| (id, points_to.callees(program, id))).collect();
        Calls { direct }
    }

    fn reached_from(&self, id: ProcedureId) -> FxHashSet<ProcedureId> {
        let callees = |id: ProcedureId| self.direct[&id].iter().copied();
        base::graph::reachable(callees(id), callees)
    }
}

/// Why the procedure cannot stay one.
fn objection(program: &Program, id: ProcedureId, below: &FxHashSet<ProcedureId>) -> Option<String> {
    if let Some(why) = prove::no_contract(program, id) {
        return Some(why.to_owned());
    }
    let native = below
        .iter()
        .map(|&id| &program.procedures[id])
        .find(|callee| callee.is_native() && callee.known.is_some_and(may_change_lives))?;
    Some(format!("`{}` is called below it", native.name))
}

/// Everything but inputs and ends of a run may allocate, free, or write somewhere.
fn may_change_lives(known: Known) -> bool {
    !known.changes_nothing() && !known.is_marker() && !matches!(known, Known::Putchar | Known::Puts)
}

/// Is it long, or has it loops?
fn is_worth_it(program: &Program, id: ProcedureId, below: &FxHashSet<ProcedureId>) -> bool {
    let bodies = || {
        let ids = std::iter::once(id).chain(below.iter().copied().filter(|&other| other != id));
        ids.filter_map(|id| program.procedures[id].body.as_ref())
    };
    let steps: usize = bodies().map(|body| body.edges.len()).sum();
    steps > FEW_STEPS
        || bodies().any(|body| {
            let order = Order::of(body);
            body.nodes.ids().any(|node| order.is_head(node))
        })
}

/// Does nothing in it or below it follow a pointer?
fn is_plain(program: &Program, id: ProcedureId, below: &FxHashSet<ProcedureId>) -> bool {
    std::iter::once(id).chain(below.iter().copied()).all(|id| {
        program.procedures[id].body.iter().flat_map(|body| &body.edges).all(|edge| {
            let mut is_plain = true;
            edge.action.visit(&mut |part| {
                if let ExprPart::Place(place, _) = part {
                    is_plain &= matches!(place.base, PlaceBase::Variable(_));
                }
            });
            is_plain
        })
    })
}

fn changes(program: &Program, id: ProcedureId, below: &FxHashSet<ProcedureId>) -> Changes {
    let mut changes = Changes::default();
    for id in std::iter::once(id).chain(below.iter().copied()) {
        for edge in program.procedures[id].body.iter().flat_map(|body| &body.edges) {
            let target = match &edge.action {
                Action::Assign { target, .. } | Action::Havoc { target, .. } => Some(target),
                Action::Call { result, .. } => result.as_ref(),
                _ => None,
            };
            let Some(target) = target else { continue };
            match target.as_variable().filter(|&id| !is_in_memory(program, id)) {
                Some(id) if program.variables[id].kind == VariableKind::Global => {
                    changes.globals.insert(id);
                }
                Some(_) => {}
                None => changes.memory = true,
            }
        }
    }
    changes
}
