//! The call graph: who calls whom, callees first, and who can call itself.

use crate::graph::{Action, ProcedureId, Program};
use base::IndexVec;

/// The shape of the call graph.
#[derive(Clone, Debug)]
pub struct CallShape {
    /// All procedures, each after those it calls where recursion does not forbid it.
    pub callees_first: Vec<ProcedureId>,
    /// Can an activation of the procedure lie on another of the same?
    pub is_recursive: IndexVec<ProcedureId, bool>,
}

/// The shape of the call graph (Tarjan's components, iterative).
pub fn call_shape(program: &Program) -> CallShape {
    let count = program.procedures().len();
    let mut calls: IndexVec<ProcedureId, Vec<ProcedureId>> = IndexVec::filled(Vec::new(), count);
    for edge in program.edges() {
        if let Action::Call { callee, .. } = edge.action {
            calls[program.procedure_of(edge.from)].push(callee);
        }
    }
    let mut shape =
        CallShape { callees_first: Vec::with_capacity(count), is_recursive: IndexVec::filled(false, count) };
    let mut number: IndexVec<ProcedureId, usize> = IndexVec::filled(usize::MAX, count);
    let mut low = number.clone();
    let mut is_open: IndexVec<ProcedureId, bool> = IndexVec::filled(false, count);
    let (mut next, mut component) = (0, Vec::new());
    for root in program.procedures().ids() {
        if number[root] != usize::MAX {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some(&mut (procedure, ref mut position)) = stack.last_mut() {
            if number[procedure] == usize::MAX {
                (number[procedure], low[procedure]) = (next, next);
                next += 1;
                component.push(procedure);
                is_open[procedure] = true;
            }
            if let Some(&callee) = calls[procedure].get(*position) {
                *position += 1;
                if number[callee] == usize::MAX {
                    stack.push((callee, 0));
                } else if is_open[callee] {
                    low[procedure] = low[procedure].min(number[callee]);
                }
                continue;
            }
            stack.pop();
            if let Some(&(caller, _)) = stack.last() {
                low[caller] = low[caller].min(low[procedure]);
            }
            if low[procedure] == number[procedure] {
                close(&mut component, procedure, &calls, &mut is_open, &mut shape);
            }
        }
    }
    shape
}

fn close(
    component: &mut Vec<ProcedureId>,
    root: ProcedureId,
    calls: &IndexVec<ProcedureId, Vec<ProcedureId>>,
    is_open: &mut IndexVec<ProcedureId, bool>,
    shape: &mut CallShape,
) {
    let start = component.iter().rposition(|&member| member == root).expect("the root is in its component");
    let members: Vec<_> = component.drain(start..).collect();
    let recursive = members.len() > 1 || calls[root].contains(&root);
    for &member in &members {
        is_open[member] = false;
        shape.is_recursive[member] = recursive;
    }
    // Members are found callers first.
    shape.callees_first.extend(members.into_iter().rev());
}
