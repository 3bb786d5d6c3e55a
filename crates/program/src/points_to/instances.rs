//! Which procedures may have several activations at a time: their locals then stand for several objects.

use super::PointsTo;
use crate::{Action, Callee, Known, ProcedureId, Program};
use base::{Id, IndexVec};

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
    for component in components(&callees) {
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
    let mut seen = IndexVec::<ProcedureId, bool>::filled(false, count);
    while let Some(id) = pending.pop() {
        if !std::mem::replace(&mut seen[id], true) {
            several[id] = true;
            pending.extend(&callees[id]);
        }
    }
    several
}

/// Strongly connected components (Tarjan, without recursion).
fn components(successors: &IndexVec<ProcedureId, Vec<ProcedureId>>) -> Vec<Vec<ProcedureId>> {
    const UNSEEN: usize = usize::MAX;
    let count = successors.len();
    let (mut index, mut low) = (vec![UNSEEN; count], vec![0; count]);
    let mut on_stack = vec![false; count];
    let (mut stack, mut found, mut next) = (Vec::new(), Vec::new(), 0);
    for root in 0..count {
        if index[root] != UNSEEN {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some(&mut (node, ref mut position)) = calls.last_mut() {
            if *position == 0 {
                index[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            let successor = successors[ProcedureId::from_index(node)].get(*position).map(|id| id.index());
            *position += 1;
            match successor {
                Some(successor) if index[successor] == UNSEEN => calls.push((successor, 0)),
                Some(successor) if on_stack[successor] => low[node] = low[node].min(index[successor]),
                Some(_) => {}
                None => {
                    calls.pop();
                    if let Some(&(caller, _)) = calls.last() {
                        low[caller] = low[caller].min(low[node]);
                    }
                    if low[node] == index[node] {
                        let from = stack.iter().rposition(|&other| other == node).expect("it was pushed");
                        let members = stack.split_off(from);
                        members.iter().for_each(|&member: &usize| on_stack[member] = false);
                        found.push(members.into_iter().map(ProcedureId::from_index).collect());
                    }
                }
            }
        }
    }
    found
}
