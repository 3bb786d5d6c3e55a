//! Which procedures may have several activations at a time: their locals then stand for several objects.

use super::PointsTo;
use crate::{Action, Callee, Known, ProcedureId, Program};
use base::IndexVec;
use base::graph::{components, reachable};

/// For each procedure: may two of its activations exist at once?
pub(super) fn several_at_once(program: &Program, points_to: &PointsTo) -> IndexVec<ProcedureId, bool> {
    let count = program.procedures.len();
    let mut several = IndexVec::filled(false, count);
    let callees: IndexVec<ProcedureId, Vec<ProcedureId>> =
        program.procedures.ids().map(|id| points_to.callees(program, id)).collect();
    for id in program.procedures.ids() {
        // Recursive: reachable from its own callees. The outside may call back what escaped to it.
        several[id] = points_to.is_escaped_procedure(id);
    }
    let after = |id: ProcedureId| callees[id].iter().copied();
    for component in components(count, program.procedures.ids(), after).iter() {
        let is_cycle = component.len() > 1 || callees[component[0]].contains(&component[0]);
        if is_cycle {
            component.iter().for_each(|&member| several[member] = true);
        }
    }
    // Whatever threads run, and all it calls, may run in each of them.
    let mut pending: Vec<ProcedureId> = Vec::new();
    for procedure in &program.procedures {
        for edge in procedure.body.iter().flat_map(|body| &body.edges) {
            if let Action::Call { callee: Callee::Direct(callee), arguments, .. } = &edge.action
                && program.procedures[*callee].known == Some(Known::ThreadCreate)
                && let Some(function) = arguments.get(2)
            {
                pending.extend(points_to.procedures_in(program, function));
            }
        }
    }
    reachable(pending, after).into_iter().for_each(|id| several[id] = true);
    several
}
